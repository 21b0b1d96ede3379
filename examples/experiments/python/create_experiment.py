"""Tier 0: how the server checked experiments before there was any Rust.

By hand rather than with a model of pydantic's: that stops looking at a list as a whole once one of its items is wrong, and
would not say in one answer that a share is too large and that two variants have the same name.
"""

import hashlib
from json.encoder import encode_basestring as text_json
from math import nan
from typing import Optional

from experiments import Outcome, OutcomeInvalid, OutcomeMalformed, OutcomeValid

from number_json import number_json
from read_json import MalformedBody, read_json

# A body of 64 KiB has room for thousands of errors.
MOST_ERRORS = 100
# `33.3 + 33.3 + 33.4` is not quite 100.
TOLERANCE = 1e-6


def create_experiment(body: bytes, fingerprint_at: Optional[int] = None) -> Outcome:
    """The experiment that is in `body`, or what is wrong with it. `fingerprint_at` is in seconds since 1970."""
    try:
        experiment = read_json(body)
    except MalformedBody as error:
        return OutcomeMalformed(Errors.only("", str(error)))
    errors = check(experiment)
    if errors:
        return OutcomeInvalid(errors.json())
    name = experiment["name"]
    if fingerprint_at is not None:
        name = hashlib.md5(f"{name}-{fingerprint_at}".encode(), usedforsecurity=False).hexdigest()
    variants = ",".join([variant_json(variant) for variant in experiment["variants"]])
    return OutcomeValid(f'{{"name":{text_json(name)},"variants":[{variants}]}}')


async def awaited(body: bytes, fingerprint_at: Optional[int] = None) -> Outcome:
    """The same for a server: in its event loop, because a thread would take longer to wake up than this takes."""
    return create_experiment(body, fingerprint_at)


def variant_json(variant: dict) -> str:
    share = number_json(variant["allocation_percent"])
    return f'{{"name":{text_json(variant["name"])},"allocation_percent":{share}}}'


class Errors(list):
    """What is wrong, as (path, message), in the order of the experiment."""

    def add(self, path: str, message: str) -> None:
        self.append((path, message))

    def json(self) -> str:
        # Paths and messages are this server's own words, and hold nothing that JSON must escape.
        listed = ",".join([f'{{"path":"{path}","message":"{message}"}}' for path, message in self[:MOST_ERRORS]])
        return f'{{"errors":[{listed}]}}'

    @classmethod
    def only(cls, path: str, message: str) -> str:
        return cls([(path, message)]).json()


def check(experiment: object) -> Errors:
    errors = Errors()
    if type(experiment) is not dict:
        errors.add("", "must be an object")
        return errors
    check_name(experiment, "", errors)
    if "variants" not in experiment:
        errors.add("variants", "is missing")
    elif type(experiment["variants"]) is not list:
        errors.add("variants", "must be a list")
    elif not experiment["variants"]:
        errors.add("variants", "must not be empty")
    else:
        check_variants(experiment["variants"], errors)
    return errors


def check_variants(variants: list, errors: Errors) -> None:
    places = {}
    total = 0.0  # NaN once a share is none
    for place, variant in enumerate(variants):
        if len(errors) >= MOST_ERRORS:
            return
        path = f"variants[{place}]"
        if type(variant) is not dict:
            errors.add(path, "must be an object")
            total = nan
            continue
        if check_name(variant, f"{path}.", errors):
            first = places.setdefault(variant["name"], place)
            if first != place:
                errors.add(f"{path}.name", f"is the name of variants[{first}] too")
        total += check_share(variant, f"{path}.allocation_percent", errors)
    if abs(total - 100) > TOLERANCE:
        errors.add("variants", f"the shares are {number_json(total)} in all, not 100")


def check_name(owner: dict, path: str, errors: Errors) -> bool:
    name = owner.get("name")
    if "name" not in owner:
        errors.add(f"{path}name", "is missing")
    elif type(name) is not str:
        errors.add(f"{path}name", "must be text")
    elif not 1 <= len(name) <= 200:
        errors.add(f"{path}name", "must have 1 to 200 characters")
    else:
        return True
    return False


def check_share(variant: dict, path: str, errors: Errors) -> float:
    share = variant.get("allocation_percent")
    if "allocation_percent" not in variant:
        errors.add(path, "is missing")
    elif type(share) is not float:
        errors.add(path, "must be a number")
    elif not 0 <= share <= 100:
        errors.add(path, "must be from 0 to 100")
    else:
        return share
    return nan

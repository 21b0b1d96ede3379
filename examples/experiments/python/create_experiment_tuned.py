"""Tier 0:tuned: what there was to gain without leaving Python.

orjson reads and writes experiments as nearly all of them are. Whatever it refuses, and whatever is wrong with an experiment, is
for the ordinary way to say.
"""

import hashlib
from typing import Optional

import orjson
from experiments import Outcome, OutcomeValid

import create_experiment as ordinary
from read_json import DEEPEST


def create_experiment(body: bytes, fingerprint_at: Optional[int] = None) -> Outcome:
    """As `create_experiment.create_experiment`."""
    answer = quickly(body, fingerprint_at)
    return ordinary.create_experiment(body, fingerprint_at) if answer is None else OutcomeValid(answer.decode())


async def awaited(body: bytes, fingerprint_at: Optional[int] = None) -> Outcome:
    """The same for a server, in its event loop."""
    return create_experiment(body, fingerprint_at)


def quickly(body: bytes, fingerprint_at: Optional[int]) -> Optional[bytes]:
    """The experiment as it is answered, or None where a closer look is needed."""
    # Fewer brackets than that cannot be nested too deep. orjson itself goes to 1,024.
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        return None
    try:
        experiment = orjson.loads(body)
        name = experiment["name"]
        variants = [(variant["name"], variant["allocation_percent"]) for variant in experiment["variants"]]
    except (ValueError, TypeError, KeyError):
        return None
    names = {name for name, _ in variants if is_name(name)}
    if not is_name(name) or not 0 < len(names) == len(variants):
        return None
    if not all(is_plain_share(share) for _, share in variants):
        return None
    total = 0.0
    for _, share in variants:
        # Not `sum`, which rounds otherwise since Python 3.12.
        total += share
    if abs(total - 100) > ordinary.TOLERANCE:
        return None
    if fingerprint_at is not None:
        name = hashlib.md5(f"{name}-{fingerprint_at}".encode(), usedforsecurity=False).hexdigest()
    answered = [{"name": name, "allocation_percent": as_javascript(share)} for name, share in variants]
    return orjson.dumps({"name": name, "variants": answered})


def is_name(name: object) -> bool:
    return type(name) is str and 1 <= len(name) <= 200


def is_plain_share(share: object) -> bool:
    """Whether it is right, and written alike by orjson and JavaScript: smaller ones may get an exponent."""
    return type(share) in (int, float) and (share == 0 or 0.001 <= share <= 100)


def as_javascript(share: "int | float") -> "int | float":
    """JavaScript writes no point where none is needed."""
    whole = int(share)
    return whole if whole == share else share

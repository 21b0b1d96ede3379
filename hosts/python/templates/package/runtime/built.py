# Made by tierup; the same in every package.
"""The built variants: the record that `tierup build` keeps in `built.json`."""

import json
from pathlib import Path

from .._interface import ABI, PACKAGE
from .errors import Unavailable

# The folder of the package itself.
FOLDER = Path(__file__).resolve().parent.parent


def _record_file():
    """The record's file: beside `pyproject.toml` in a linked package, inside the package in a wheel."""
    made = FOLDER.parent.parent
    if FOLDER.parent.name == "src" and (made / "pyproject.toml").exists():
        return made / "built.json"
    return FOLDER / "built.json"


def _is_installed():
    """Whether this is installed from a wheel, perhaps where nobody can build."""
    return _record_file().parent == FOLDER


def remedy(variant=None):
    """How to get missing or unfit files, of one variant or of all."""
    if _is_installed():
        return "install the package again, or ask its maker for another one"
    return f"run `{command(variant)}`" if variant else "run `tierup build`"


def _read():
    """The record; empty if nothing was built."""
    try:
        text = _record_file().read_text(encoding="utf-8")
    except OSError:
        return {}
    try:
        record = json.loads(text)
        if not isinstance(record, dict) or "variants" not in record:
            raise ValueError("it lists no variants")
        return record
    except ValueError as error:
        raise Unavailable(f"{PACKAGE}: built.json is damaged ({error}): {remedy()}") from None


def is_built(name):
    """Whether a variant was built for the interface of this package."""
    record = _read()
    return record.get("abi") == ABI and record.get("variants", {}).get(name, {}).get("built") is True


def is_stale():
    """Whether the built files are for another interface than this package's."""
    return _read().get("abi", ABI) != ABI


def require_built(name):
    """Raises if a variant was not built. The error has the reason and the next step."""
    reason = why_not(name)
    if reason is not None:
        raise Unavailable(f"{PACKAGE} cannot run at tier {name}: {reason}")


def why_not(name):
    """Why a variant cannot run; None if it was built."""
    if is_stale():
        return f"the built files have another interface than this package: {remedy()}"
    entry = _read().get("variants", {}).get(name)
    if entry is None:
        return f"{'the package was made without it' if _is_installed() else 'it was not built'}: {remedy(name)}"
    if entry.get("built") is True:
        return None
    return f"it could not be built: {entry.get('reason') or remedy()}"


def artifact(variant, name):
    """The path of a built file of a variant. Raises an error with the next step if it is missing."""
    file = FOLDER / "artifacts" / name
    if not file.exists():
        what = f"the package has no {name} for this platform" if _is_installed() else f"artifacts/{name} is missing"
        raise Unavailable(f"{what}: {remedy(variant)}")
    return file


def command(variant):
    """The command that builds a variant."""
    return f"tierup build --tiers {variant}"


def check_abi(found):
    """Raises if a built file is for another interface than this package's."""
    if found != ABI:
        raise Unavailable(f"the built file has another interface than this package: {remedy()}")

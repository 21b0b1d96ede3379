# Made by tierup; the same in every package.
"""The server's own functions: the arguments `baseline` and `baselines` of `bind`."""

import importlib
import re
from collections.abc import Mapping

from .._interface import FUNCTIONS, PACKAGE
from .errors import Unavailable


# Labels of tier 0 that tierup itself defines.
RESERVED = ("free", "memo", "workers")


def read_baselines(baseline, baselines):
    """Checks these arguments. Returns each baseline's functions by number, by label; `baseline` has the label ''."""
    found = {}
    if baseline is not None:
        found[""] = _read("baseline", baseline)
    if baselines is not None and not isinstance(baselines, Mapping):
        raise TypeError(f"baselines must be a dict of baselines by label, not {type(baselines).__name__}")
    for label, given in (baselines or {}).items():
        if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", label) or label in RESERVED:
            raise TypeError(
                f"{label!r} cannot label a baseline: it takes letters, digits, - and _, and is not one of {', '.join(RESERVED)}"
            )
        found[label] = _read(f"baselines[{label!r}]", given)
    return found


def _read(place, given):
    if isinstance(given, str):
        given = _imported(place, given)
    functions = [_function_of(given, function.name) for function in FUNCTIONS]
    if any(functions):
        return [found or _missing(place, function.name) for found, function in zip(functions, FUNCTIONS)]
    if callable(given) and len(FUNCTIONS) == 1:
        return [given]
    if callable(given) and getattr(given, "__name__", None) in [function.name for function in FUNCTIONS]:
        return _read(place, {given.__name__: given})
    names = ", ".join(function.name for function in FUNCTIONS)
    raise TypeError(
        f"{place} is a function, or a module, an object or a dict with functions of these names, as {PACKAGE} has them: {names}"
    )


def _imported(place, name):
    """Imports `module:function` or `module` only when it is used, as it need not exist before."""
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ImportError(f"{place} {name!r} cannot be imported: {error}") from error
    if not attribute:
        return module
    found = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ImportError(f"{place} {name!r} cannot be imported: {module_name} has no {attribute}") from None
    return found


def _function_of(given, name):
    found = given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
    return found if callable(found) else None


def _missing(place, name):
    def missing(*_):
        raise Unavailable(f"{place} has no function {name}")

    missing.is_missing = True
    return missing

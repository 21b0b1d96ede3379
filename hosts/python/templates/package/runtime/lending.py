# Made by tierup; the same in every package.
"""Functions that the extension module calls by name if an argument is neither `str` nor `bytes`."""

from . import checks


def not_text(value, parameter):
    """The error for a value that is not text."""
    return checks.not_text(value).refusal(parameter)


def copied(value, parameter):
    """A copy of another bytes-like object, which could change while Rust reads it."""
    try:
        return checks.bytes_of(value)
    except checks.Mismatch as mismatch:
        raise mismatch.refusal(parameter) from None

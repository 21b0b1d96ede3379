# Made by tierup; the same in every package.
"""What the extension module asks for, by name, where an argument is neither `str` nor `bytes`."""

from . import checks


def not_text(value, parameter):
    """The error for a value that is no text."""
    return checks.not_text(value).refusal(parameter)


def copied(value, parameter):
    """The bytes of any other bytes-like object: somebody may change them while Rust looks."""
    try:
        return checks.bytes_of(value)
    except checks.Mismatch as mismatch:
        raise mismatch.refusal(parameter) from None

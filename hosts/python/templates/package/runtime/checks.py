# Made by tierup; the same in every package.
"""Checks of values before they are encoded.

A check raises a `Mismatch`. Each level that it passes adds its place in the arguments. The last one makes it the
caller's TypeError or OverflowError: `items[3].value: expected a number`.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

# The limit for a call's arguments, in bytes. No variant could pass on more.
LARGEST = 0x7FFFFFFF


class Mismatch(Exception):
    """A value that does not fit the signature."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.path = ""

    def refusal(self, place):
        """The error for the caller, with the place of the value."""
        return self.kind(f"{place}{self.path}: {self.message}")


def expected(what, value):
    """A `Mismatch` for a value of the wrong type."""
    return Mismatch(TypeError, f"expected {what}, got {described(value)}")


def not_text(value):
    """A `Mismatch` for a value that is not text."""
    return expected("a str", value)


def outside(what, value):
    """A `Mismatch` for a number that does not fit."""
    return Mismatch(OverflowError, f"expected {what}, got {described(value)}")


def described(value):
    if value is None or isinstance(value, (bool, int, float)):
        # Python refuses to print a number of many digits, which would be useless in a message anyway.
        if isinstance(value, int) and value.bit_length() > 200:
            return "a number beyond it"
        return repr(value)
    if isinstance(value, str) and len(value) <= 40:
        return repr(value)
    return f"a value of type {type(value).__name__}"


def bytes_of(value):
    """Immutable bytes, from any bytes-like object."""
    if type(value) is bytes:
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        # array.array, mmap, numpy and others expose their memory in the same way.
        return bytes(memoryview(value))
    except (TypeError, ValueError, BufferError):
        raise expected("a bytes-like object", value) from None


def items_of(value, what="a list"):
    """The items of a list, tuple or other sequence, as a list or tuple."""
    if type(value) is tuple:
        return value
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview)):
        return list(value)
    raise expected(what, value)


def entries_of(value):
    """The keys and values of a mapping, sorted by code points, i.e. by UTF-8, as the encoding requires."""
    if not isinstance(value, Mapping):
        raise expected("a dict or another mapping", value)
    entries = list(value.items())
    for key, _ in entries:
        if not isinstance(key, str):
            raise expected("text as every key", key)
    entries.sort(key=_key_of)
    return entries


def _key_of(entry):
    return entry[0]


def record_of(value, record):
    """An object with a record's fields. A server may have its own class for it, or a dict such as a TypedDict."""
    if isinstance(value, record):
        return value
    fields = record.__dataclass_fields__
    if isinstance(value, dict):
        # A key that may be missing is an `Option`. For any other key, the writer reports that `None` does not fit.
        return SimpleNamespace(**{name: value.get(name) for name in fields})
    if not fields or isinstance(value, type) or not all(hasattr(value, name) for name in fields):
        raise expected(f"a {record.__name__}", value)
    return value

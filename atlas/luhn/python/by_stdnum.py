"""The Luhn algorithm by python-stdnum."""

from stdnum import luhn


def is_valid(number: str) -> bool:
    return luhn.is_valid(number)

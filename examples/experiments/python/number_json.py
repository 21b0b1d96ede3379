"""Numbers as JavaScript writes them."""

from decimal import Decimal


def number_json(number: float) -> str:
    """A number from 0 to some millions: the shortest digits that read back as the same, without a point where none is needed,
    and with an exponent only below 0.000001."""
    if number.is_integer():
        return str(int(number))
    digits = repr(number)
    if "e" not in digits:
        return digits
    if number >= 1e-6:
        return format(Decimal(digits), "f")
    # Python writes at least two digits of an exponent: 1e-07.
    return digits.replace("e-0", "e-")

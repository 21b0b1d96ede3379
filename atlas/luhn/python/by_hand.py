"""The Luhn algorithm as one writes it in Python."""

_DIGITS = frozenset("0123456789")
# What each digit counts when it is doubled.
_DOUBLED = {str(digit): sum(map(int, str(digit * 2))) for digit in range(10)}


def is_valid(number: str) -> bool:
    if not number or not _DIGITS.issuperset(number):
        return False
    return (sum(map(int, number[::-2])) + sum(_DOUBLED[digit] for digit in number[-2::-2])) % 10 == 0

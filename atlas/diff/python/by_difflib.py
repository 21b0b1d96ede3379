"""Differences by difflib, which is written in Python. They need not be minimal."""

from difflib import SequenceMatcher

from lines import lines


def changed_lines(before: str, after: str) -> int:
    matcher = SequenceMatcher(None, lines(before), lines(after), autojunk=False)
    return sum(i2 - i1 + j2 - j1 for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")

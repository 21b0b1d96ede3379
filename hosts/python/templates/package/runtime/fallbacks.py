# Made by tierup; the same in every package.
"""What runs instead where the requested tier cannot: the rows that TIERUP_FALLBACK permits."""

import os
import sys

from .errors import Unavailable

# Every variant in Rust, the best first: the order in which one is chosen by default.
BEST_FIRST = ("3:native", "3:async", "2:core", "1:pool", "1:spawn")


def _fallbacks():
    """The rows that it permits, in order: none if it is empty or `0`, all for `1`, or those that it lists, as `2:core,0`."""
    listed = os.environ.get("TIERUP_FALLBACK", "").strip()
    if listed == "0":
        return []
    if listed == "1":
        return [*BEST_FIRST, "0"]
    names = [name.strip() for name in listed.split(",") if name.strip()]
    for name in names:
        if name != "0" and not name.startswith("0:") and name not in BEST_FIRST:
            raise ValueError(f"TIERUP_FALLBACK: {name} is no variant: use 1, or a list of 0 and {', '.join(BEST_FIRST)}")
    return names


def with_fallbacks(first, load):
    """What `first()` returns. If it raises Unavailable: what `load(name)` makes of the first fallback that can run."""
    names = _fallbacks()
    try:
        return first()
    except Unavailable as error:
        if not names:
            raise
        chosen = _fall_back(error, names, load)
        chosen.instead = _in_one_line(error)
        return chosen


_said = set()


def _fall_back(reason, names, load):
    """The first of these rows that loads, with one line on standard error."""
    others = ""
    for name in names:
        try:
            chosen = load(name)
        except (Unavailable, ValueError) as error:
            others += f"\n  {_in_one_line(error)}"
            continue
        line = f"{_in_one_line(reason)}; falling back to tier {name}"
        if line not in _said:
            _said.add(line)
            print(line, file=sys.stderr)
        return chosen
    raise Unavailable(f"{reason}\nnor at what TIERUP_FALLBACK permits:{others}") from reason


def _in_one_line(error):
    return " ".join(str(error).split())

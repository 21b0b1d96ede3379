# Made by tierup; the same in every package.
"""The tiers without anything built: 0 and 0:LABEL, the server's own functions."""

import os
import sys

from .._interface import FUNCTIONS, PACKAGE
from .baselines import RESERVED, read_baselines
from .errors import Unavailable
from .variants.baseline import Baseline

REASON = "no variant is built here: run `tierup build`"

_said = set()


class Chosen:
    """A loaded variant. `asked` and `instead` are those of `metrics()`."""

    def __init__(self, tier, variant, asked):
        self.tier = tier
        self.asked = asked
        self.instead = ""
        self.variant = variant
        self.release = variant.close


def choose(baseline, baselines, tier):
    """Loads the requested tier."""
    found = read_baselines(baseline, baselines)
    asked = os.environ.get("TIERUP_TIER", "") if tier is None else tier
    if os.environ.get("TIERUP_ROLLOUT"):
        _say(f"{PACKAGE}: TIERUP_ROLLOUT is not obeyed: {REASON}")
    if not isinstance(asked, str):
        raise TypeError(f"tier must be a str such as '3:native', not {type(asked).__name__}")
    if asked == "0" or (asked.startswith("0:") and asked[2:] not in RESERVED):
        return _load(asked, found, asked)
    refusal = f"{PACKAGE} cannot run at tier {asked}: {REASON}"
    if asked and not _may_fall_back():
        raise Unavailable(refusal)
    if "" not in found:
        raise Unavailable(f"{PACKAGE} has nothing to run: it has no baseline, and {REASON}")
    chosen = _load("0", found, asked)
    chosen.instead = refusal if asked else f"{PACKAGE}: your own code runs, at tier 0, as {REASON}"
    _say(f"{refusal}; falling back to tier 0" if asked else chosen.instead)
    return chosen


def _may_fall_back():
    """Whether TIERUP_FALLBACK allows the server's own code: `1`, or a list of rows with 0."""
    listed = os.environ.get("TIERUP_FALLBACK", "")
    return listed == "1" or listed != "0" and "0" in [name.strip() for name in listed.split(",")]


def _load(name, baselines, asked):
    label = name[2:]
    if label not in baselines:
        option = f"baselines={{{label!r}: …}}" if label else "baseline=…"
        raise ValueError(f"tier {name} needs the function that {PACKAGE} replaces: hand it over as bind({option})")
    return Chosen(name, Baseline(FUNCTIONS, baselines[label]), asked)


def _say(line):
    """Reports once on standard error what runs instead of Rust."""
    if line not in _said:
        _said.add(line)
        print(line, file=sys.stderr)

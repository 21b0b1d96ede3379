# Made by tierup; the same in every package.
"""The tiers without anything built: 0 and 0:LABEL, the server's own functions."""

import os
import sys

from .._interface import FUNCTIONS, PACKAGE
from .baselines import RESERVED, read_baselines
from .errors import Unavailable
from .fallbacks import with_fallbacks
from .variants.baseline import Baseline

REASON = "no variant is built here: run `tierup build`"

_said = set()


class Chosen:
    """A loaded variant. `asked` and `instead` are those of `metrics()`."""

    def __init__(self, tier, variant):
        self.tier = tier
        self.asked = self.instead = ""
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
    chosen = with_fallbacks(lambda: _load(asked, found) if asked else _unasked(found), lambda name: _load(name, found))
    chosen.asked = asked
    return chosen


def _unasked(baselines):
    """Tier 0, although nobody asked for it."""
    if "" not in baselines:
        raise Unavailable(f"{PACKAGE} has nothing to run: it has no baseline, and {REASON}")
    chosen = _load("0", baselines)
    chosen.instead = f"{PACKAGE}: your own code runs, at tier 0, as {REASON}"
    _say(chosen.instead)
    return chosen


def _load(name, baselines):
    label = name[2:]
    if name != "0" and (not name.startswith("0:") or label in RESERVED):
        raise Unavailable(f"{PACKAGE} cannot run at tier {name}: {REASON}")
    if label not in baselines:
        option = f"baselines={{{label!r}: …}}" if label else "baseline=…"
        raise ValueError(f"tier {name} needs the function that {PACKAGE} replaces: hand it over as bind({option})")
    return Chosen(name, Baseline(FUNCTIONS, baselines[label]))


def _say(line):
    """Reports once on standard error what runs instead of Rust."""
    if line not in _said:
        _said.add(line)
        print(line, file=sys.stderr)

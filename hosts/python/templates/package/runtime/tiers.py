# Made by tierup; the same in every package.
"""Which tier answers: the one that TIERUP_TIER names, or the best variant that was built.

A variant is a module in `variants/` with a function `load(context)`. That raises `Unavailable`, saying why, where the
variant cannot run; otherwise it returns an object with
    bound(counters)              for a binding, whose calls the counters of `metrics.py` count: a callable for each function, which
                                 takes its arguments and returns its answer; and a coroutine that takes its number, too
    ready()                      returns when no call has to wait for a start
    close()                      frees everything
`variants/ways.py` has the first for classes that have `call(number, *args)`, which returns the answer.
Calls raise TypeError, ValueError and OverflowError for arguments that do not fit the signature, CallError,
PanicError, TransportError and CallTimeoutError. They may come from any thread, and from a process that was forked after `load`.
"""

import contextlib
import importlib
import os
import sys
import threading

from .._interface import ABI, ALTERNATIVES, FUNCTIONS, PACKAGE
from .baselines import RESERVED, read_baselines
from .built import artifact, is_built, is_stale, remedy, require_built, why_not
from .errors import Unavailable
from .fallbacks import BEST_FIRST, with_fallbacks

# The variants of each tier, the preferred one first.
OF_TIER = {"1": ("1:pool", "1:spawn"), "2": ("2:core",), "3": ("3:native", "3:async")}

# Modules whose names differ from their variants': `async` is a keyword of Python.
MODULES = {"async": "threaded"}

# Variants of other hosts, and why this host lacks them.
ELSEWHERE = {
    "2:bindgen": "wasm-bindgen supports only JavaScript; use 2:core",
    "2:component": "wasmtime needs 1 ms per KiB for a component's values in Python: take 2:core",
}


class Context:
    """What a variant gets when it is loaded."""

    package = PACKAGE
    abi = ABI
    functions = FUNCTIONS

    def __init__(self, variant):
        self.variant = variant
        # The number of the alternative to call, or 0.
        self.alternative = ALTERNATIVES.index(_chosen()) + 1 if _chosen() in ALTERNATIVES else 0

    def artifact(self, name):
        return artifact(self.variant, name)


class Chosen:
    """A loaded variant and its release. `asked` and `instead` are those of `metrics()`."""

    def __init__(self, tier, variant, release):
        self.tier = tier
        self.asked = self.instead = ""
        self.variant = variant
        self.release = release


def choose(baseline, baselines, tier):
    """Loads the requested tier."""
    chosen = _requested(baseline, baselines, tier)
    path = os.environ.get("TIERUP_ROLLOUT")
    return _around_rollout(chosen, path) if path else chosen


def _around_rollout(chosen, path):
    """Wraps the tier as the control of a rollout."""
    from .metrics import Counters
    from .programs import without_forks
    from .control import around

    def variant_of(name):
        # A child forked during an import could never complete that import.
        with without_forks():
            _variant_module(name[2:])
            with contextlib.suppress(ImportError):
                if name.startswith("2:"):
                    importlib.import_module("wasmtime")
                elif name.startswith("3:"):
                    importlib.import_module(f"{__package__.rpartition('.')[0]}._native")
        candidate = _load(name, {})
        return (*candidate.variant.bound(Counters(name)), candidate.release)

    # Both variants run the same program.
    context = Context(next(filter(is_built, ("1:pool", "1:spawn")), "1:pool"))
    return around(chosen, context, path, BEST_FIRST, variant_of)


def _requested(baseline, baselines, tier):
    found = read_baselines(baseline, baselines)
    asked = os.environ.get("TIERUP_TIER", "") if tier is None else tier
    if not isinstance(asked, str):
        raise TypeError(f"tier must be a str such as '3:native', not {type(asked).__name__}")

    def first():
        chosen = _load(_name_of(_without_alternative(asked), found), found)
        if asked == "" and chosen.tier == "0":
            chosen.instead = _say_nothing_is_built()
        return chosen

    chosen = with_fallbacks(first, lambda name: _load(name, found))
    chosen.asked = asked
    return chosen


_is_said = False


def _say_nothing_is_built():
    """Reports once on standard error that no Rust runs."""
    global _is_said
    words = f"{PACKAGE}: your own code runs, at tier 0, as no variant is built here: {remedy()}"
    if not _is_said:
        _is_said = True
        print(words, file=sys.stderr)
    return words


def _chosen():
    """NAME of TIERUP_TIER=3:native#NAME, or "". Rust reads it once, so the whole process calls one implementation."""
    return os.environ.get("TIERUP_TIER", "").partition("#")[2]


def _without_alternative(asked):
    """The requested row without its alternative: `3:native` for `3:native#NAME`."""
    base, mark, name = asked.partition("#")
    is_baseline = base == "0" or base.startswith("0:")
    if mark and is_baseline:
        raise ValueError(f"{asked} is not a tier: {base} runs no Rust, so it has no alternatives")
    if mark and name not in ALTERNATIVES:
        known = f"has {', '.join(ALTERNATIVES)}" if ALTERNATIVES else "has none"
        raise ValueError(f"{PACKAGE} has no alternative '{name}': [function.alternatives] in tierup.toml {known}")
    if not is_baseline and name != _chosen():
        raise ValueError(f"an alternative holds for the whole process: set TIERUP_TIER={asked}, rather than ask for {asked} beside another")
    return base


def _name_of(asked, baselines):
    """The name of the requested row."""
    if asked == "":
        return _best(baselines)
    if asked == "0" or asked.startswith("0:") or asked in BEST_FIRST:
        return asked
    if asked in ("4", "4:server"):
        raise ValueError(f"tier 4 is a separate server, which {PACKAGE} cannot load: run `tierup serve --tier 4`")
    if asked in ELSEWHERE:
        raise Unavailable(f"{PACKAGE} cannot run at tier {asked}: {ELSEWHERE[asked]}")
    variants = OF_TIER.get(asked)
    if variants is None:
        raise ValueError(f"{asked} is not a tier: use 0, 0:free, 0:memo, 0:workers, 0:LABEL, 1, 2, 3 or one of {', '.join(BEST_FIRST)}")
    for name in variants:
        if is_built(name):
            return name
    raise Unavailable(f"{PACKAGE} cannot run at tier {asked}:{_reasons(variants)}")


def _best(baselines):
    """The best variant that was built, or the baseline if none was."""
    # A variant was built for another interface. Running the baseline would hide that.
    if is_stale():
        raise Unavailable(f"{PACKAGE} cannot run: {why_not('')}")
    for name in BEST_FIRST:
        if is_built(name):
            return name
    if "" in baselines:
        return "0"
    raise Unavailable(f"{PACKAGE} has nothing to run: it has no baseline, and{_reasons(BEST_FIRST)}")


def _reasons(variants):
    return "".join(f"\n  {variant}: {why_not(variant)}" for variant in variants)


def _load(name, baselines):
    if name == "0" or name.startswith("0:"):
        return _load_baseline(name, baselines)
    require_built(name)
    chosen = _share(name)
    chosen.tier += f"#{_chosen()}" if _chosen() else ""
    return chosen


def _load_baseline(name, baselines):
    label = name[2:]
    baseline = baselines.get("" if label in RESERVED else label)
    if baseline is None:
        option = "baseline=…" if label in ("", *RESERVED) else f"baselines={{{label!r}: …}}"
        raise ValueError(f"tier {name} needs the function that {PACKAGE} replaces: hand it over as bind({option})")
    module = _variant_module(label if label in RESERVED else "baseline")
    variant = module.load(Context(name), baseline)
    return Chosen(name, variant, variant.close)


def _variant_module(word):
    return importlib.import_module(f"{__package__}.variants.{MODULES.get(word, word)}")


# Variants in use, by name. All bindings share them, so there is one pool and one Wasm module.
_shared = {}
_lock = threading.RLock()


class _Entry:
    def __init__(self, variant):
        self.variant = variant
        self.users = 0


def _share(name):
    with _lock:
        entry = _shared.get(name)
        if entry is None:
            entry = _shared[name] = _Entry(_load_variant(name))
        entry.users += 1

    def release():
        with _lock:
            entry.users -= 1
            if entry.users > 0:
                return
            del _shared[name]
        entry.variant.close()

    return Chosen(name, entry.variant, release)


def _load_variant(name):
    try:
        return _variant_module(name[2:]).load(Context(name))
    except Exception as error:
        raise Unavailable(f"{PACKAGE} cannot run at tier {name}: {error}") from error


def _after_fork():
    """A thread that the child does not have may hold the old lock."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

# Made by tierup; the same in every package.
"""Compares how long calls of the candidate and of the control take, in pairs of calls of one function, while each side gets
half of them. Chance decides who gets a call, so the leads of a candidate that is not slower add up to 0 at most. At other
shares, the code of the rarer side is not in the processor's caches."""

import random
import threading
import time

# So many calls of the candidate are not timed, for each function: code may still be loaded.
_WARM_UP = 100

# The longer time of a pair counts as this many times the shorter one at most: the process may have been stopped.
_MOST_APART = 100


class Counts:
    """The sums over all pairs of the process: leads of the candidate and their squares in millionths, and times."""

    def __init__(self):
        self.sums = dict.fromkeys(("pairs", "ahead", "behind", "squares", "control_ns", "candidate_ns"), 0)
        # Reentrant: a signal's handler may make a call during another call.
        self.lock = threading.RLock()


class _Function:
    """The candidate's calls so far, and a timed call that waits for one of the other side: (is_candidate, took)."""

    def __init__(self):
        self.calls = 0
        self.waiting = None


class Pairs:
    def __init__(self, control, counts, functions):
        self.is_on = control.slower is not None and control.share == 0.5 and not control.is_by_input
        self.slower = control.slower
        self.shadow = control.shadow
        self.counts = counts
        self.functions = [_Function() for _ in range(functions)]
        # The server may have seeded the module's own generator.
        self.random = random.Random().random

    def begin(self, number, is_candidate):
        """The time at which a call begins, or None if it is not timed. Of two threads' calls, one may not be counted."""
        if not self.is_on:
            return None
        function = self.functions[number]
        function.calls += is_candidate
        # The same part of the control's calls is compared, and not timed.
        is_left_out = is_candidate and self.random() < self.shadow
        return time.perf_counter_ns() if function.calls > _WARM_UP and not is_left_out else None

    def end(self, number, is_candidate, began):
        """Takes in a call that has given a value."""
        if began is None:
            return
        took = max(1, time.perf_counter_ns() - began)
        function = self.functions[number]
        with self.counts.lock:
            waiting, function.waiting = function.waiting, (is_candidate, took)
            if waiting is None or waiting[0] == is_candidate:
                return
            function.waiting = None
            candidate, control = (took, waiting[1]) if is_candidate else (waiting[1], took)
            lead = (candidate - self.slower * control) / (candidate + self.slower * control)
            sums = self.counts.sums
            sums["pairs"] += 1
            sums["behind" if lead > 0 else "ahead"] += round(abs(lead) * 1e6)
            sums["squares"] += round(lead**2 * 1e6)
            sums["control_ns"] += min(control, _MOST_APART * candidate)
            sums["candidate_ns"] += min(candidate, _MOST_APART * control)

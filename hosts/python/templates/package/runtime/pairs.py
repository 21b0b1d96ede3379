# Made by tierup; the same in every package.
"""Compares how long calls of the candidate and of the control take, in pairs of one call each, while each side gets half
of the calls. Chance decides who gets a call, so a candidate that is not slower loses no more than half of the pairs,
whatever the calls are. At other shares, the code of the rarer side is not in the processor's caches."""

import threading
import time

# So many calls of the candidate are not timed: code may still be loaded.
_WARM_UP = 100


class Pairs:
    def __init__(self):
        self.counts = dict.fromkeys(("pairs", "ahead", "behind", "squares", "control_ns", "candidate_ns"), 0)
        # Of the candidate.
        self.calls = 0
        # A timed call that waits for one of the other side: whether it is the candidate's, and its time.
        self.waiting = None
        # Reentrant: a signal's handler may make a call during another call.
        self.lock = threading.RLock()

    def begin(self, now, is_candidate):
        """The time at which a call begins, or None if it is not timed. Threads may lose a count of each other's."""
        if now.slower is None or now.share != 0.5 or now.is_by_input:
            return None
        self.calls += is_candidate
        return time.perf_counter_ns() if self.calls > _WARM_UP else None

    def end(self, now, is_candidate, began):
        """Takes in a call that has given a value."""
        if began is None:
            return
        took = time.perf_counter_ns() - began
        with self.lock:
            waiting, self.waiting = self.waiting, (is_candidate, took)
            if waiting is None or waiting[0] == is_candidate:
                return
            self.waiting = None
            candidate, control = (took, waiting[1]) if is_candidate else (waiting[1], took)
            self.counts["pairs"] += 1
            lead = (candidate - now.slower * control) / (candidate + now.slower * control)
            self.counts["behind" if lead > 0 else "ahead"] += round(abs(lead) * 1e6)
            self.counts["squares"] += round(lead**2 * 1e6)
            self.counts["control_ns"] += control
            self.counts["candidate_ns"] += candidate

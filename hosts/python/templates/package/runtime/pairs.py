# Made by tierup; the same in every package.
"""Compares how long calls of the candidate and of the control take, in pairs of one call each. Chance decides who gets a
call, and with the same probability for both sides, whether it is timed. So a candidate that is not slower loses no more
than half of the pairs, whatever the calls are."""

import random
import threading
import time

# So many calls of the candidate are not timed: code may still be loaded.
_WARM_UP = 100


class Pairs:
    def __init__(self):
        self.counts = {"pairs": 0, "slower": 0, "control_ns": 0, "candidate_ns": 0}
        self.seen = 0
        # A timed call that waits for one of the other side: whether it is the candidate's, and its time.
        self.waiting = None
        # Reentrant: a signal's handler may make a call during another call.
        self.lock = threading.RLock()
        # The server may have seeded the module's own generator.
        self.random = random.Random().random

    def begin(self, now, is_candidate):
        """The time at which a call begins, or None if it is not timed. Threads may lose a count of each other's."""
        if now.slower is None or now.is_by_input or now.share == 0:
            return None
        self.seen += is_candidate
        if self.seen <= _WARM_UP:
            return None
        part = 1 - now.share if is_candidate else now.share
        rest = now.share if is_candidate else 1 - now.share
        return time.perf_counter_ns() if self.random() * rest < part else None

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
            self.counts["slower"] += candidate > now.slower * control
            self.counts["control_ns"] += control
            self.counts["candidate_ns"] += candidate

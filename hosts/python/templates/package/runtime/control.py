# Made by tierup; the same in every package.
"""The chosen tiers of bindings, as controls of the process's one rollout."""

import atexit
import os
import socket
import threading

from .._interface import PURE
from .errors import Unavailable
from .rollout import Rollout, tell


@atexit.register
def _at_exit():
    """Sends the last counts. Such a write never blocks."""
    rollout = _rollout
    if rollout is not None and not rollout.is_closed:
        rollout.shadow.count(rollout.counted())
        if rollout.deaths is not None:
            rollout.deaths.end()


class _Control:
    """Wraps the chosen tier as the control of a rollout."""

    def __init__(self, rollout, chosen):
        self.rollout = rollout
        self.tier = chosen.tier
        self.variant = chosen.variant

    def bound(self, counters):
        calls, call_async = self.variant.bound(counters)
        count = counters.counts["calls"].__next__
        around = [
            self.rollout.around(number, call, self.tier, count) if number in PURE else call
            for number, call in enumerate(calls)
        ]
        return around, self.rollout.around_async(call_async, self.tier, count)

    def ready(self):
        self.variant.ready()
        self.rollout.ready()


# Reentrant: the garbage collector may close a binding.
_lock = threading.RLock()
_rollout = None
_users = 0
_is_refused = False


def around(chosen, context, path, variants, variant_of):
    """Wraps the tier as the control of a rollout. If there can be none, reports why and returns the tier."""
    global _rollout, _users, _is_refused
    with _lock:
        try:
            if not hasattr(socket, "AF_UNIX"):
                raise Unavailable("it needs a system with Unix sockets")
            if _rollout is None:
                _rollout = Rollout(context, path, variants, variant_of)
        except Exception as error:
            if not _is_refused:
                tell(f"{context.package}: TIERUP_ROLLOUT is not obeyed: {error}")
            _is_refused = True
            return chosen
        _users += 1
        own = _rollout
    release = chosen.release

    def leave():
        global _rollout, _users
        with _lock:
            _users -= 1
            is_last = _users == 0
            if is_last:
                _rollout = None
        try:
            if is_last:
                own.close()
        finally:
            release()

    chosen.variant, chosen.release = _Control(own, chosen), leave
    return chosen


def _after_fork():
    """A thread that the child does not have may hold the old lock."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

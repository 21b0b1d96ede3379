# Made by tierup; the same in every package.
"""The functions of the package itself: a binding without a baseline, at the tier that TIERUP_TIER names when they are first
used."""

import os
import threading

from .binding import bind


class Default:
    def __init__(self):
        # The callable of each function, by its number; empty until the first call.
        self.calls = ()
        self.binding = None
        self.after_fork()

    def after_fork(self):
        # The old one may have been held by a thread that the child does not have.
        self.lock = threading.Lock()

    def bound(self):
        """The binding."""
        if self.binding is None:
            with self.lock:
                if self.binding is None:
                    binding = bind()
                    self.calls = binding._tierup_calls
                    self.binding = binding
        return self.binding

    def first_calls(self):
        """Fills `calls` and returns it."""
        return self.bound()._tierup_calls


default = Default()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=default.after_fork)


def ready():
    """Returns when calls are answered at full speed: workers started, modules compiled."""
    default.bound().ready()


def check_health():
    """Makes the golden call of `[health]` in `tierup.toml`; raises if its answer is wrong."""
    default.bound().check_health()


def close():
    """Frees what the package's own functions use, if they were called."""
    if default.binding is not None:
        default.binding.close()


def metrics():
    """What runs and why, and what became of the calls of the package's own functions: a `Metrics`."""
    return default.bound().metrics()

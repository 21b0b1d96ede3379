# Made by tierup; the same in every package.
"""The package's own functions: a binding without a baseline, at the tier that TIERUP_TIER names at the first use."""

import os
import threading

from .binding import bind


class Default:
    def __init__(self):
        # The callable of each function, by number; empty until the first call.
        self.calls = ()
        self.binding = None
        self.after_fork()

    def after_fork(self):
        # A thread that the child does not have may hold the old lock.
        self.lock = threading.Lock()

    def bound(self):
        """The binding, made at the first use."""
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
    """Returns once calls are answered at full speed: workers have started and modules are compiled."""
    default.bound().ready()


def check_health():
    """Makes the golden call of `[health]` in `tierup.toml`. Raises if its answer is wrong."""
    default.bound().check_health()


def close():
    """Frees what the package's own functions use, if they were called."""
    if default.binding is not None:
        default.binding.close()


def metrics():
    """What runs and why, and how the calls of the package's own functions have ended: a `Metrics`."""
    return default.bound().metrics()

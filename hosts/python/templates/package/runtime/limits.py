# Made by tierup; the same in every package.
"""The limits that the environment sets: how long a call and the start of a worker may take, and how many calls may wait."""

import os
import re
import time

from .errors import CallTimeoutError, TransportError

# A server with more waiting calls than this is unlikely to catch up.
MOST_WAITING = 16_384

# How long a worker may take to start, in seconds. A busy machine needs a small part of this.
START = 30

# How long `close()` waits for running calls if they have no time-out, in seconds.
GRACE = 10

# How long callers may take to notice that `close()` has ended their processes, in seconds.
GRACE_OF_CALLERS = 5

# The longest time-out, in seconds: the timers of some hosts take no more.
LONGEST = 1_000_000


class Limits:
    def __init__(self):
        # The time-out of a call, in seconds; None if there is none.
        self.timeout = _seconds("TIERUP_CALL_TIMEOUT")
        # The time-out of a worker's start, in seconds.
        self.start = _seconds("TIERUP_START_TIMEOUT") or START
        self.most_waiting = whole_number("TIERUP_CALL_QUEUE") or MOST_WAITING
        self.grace = self.timeout or GRACE

    def deadline(self):
        """When a call made now must be answered, by `time.monotonic()`; None without a time-out."""
        return None if self.timeout is None else time.monotonic() + self.timeout

    def waited_too_long(self):
        return CallTimeoutError(f"no worker was free for the call within {self.timeout:g} s (TIERUP_CALL_TIMEOUT)")

    def took_too_long(self, end=""):
        return CallTimeoutError(f"the call took longer than {self.timeout:g} s (TIERUP_CALL_TIMEOUT){end}")

    def started_too_late(self, path):
        return TransportError(
            f"{path} did not start within {self.start:g} s (TIERUP_START_TIMEOUT): its process was ended"
        )

    def too_many(self):
        return TransportError(
            f"{self.most_waiting} calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)"
        )


def closed_before():
    return TransportError("the pool was closed before the call was answered")


def left(deadline):
    """The seconds left until a deadline; None if there is none."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def whole_number(name):
    """A variable's value, a whole number; None if it is not set."""
    asked = os.environ.get(name, "")
    if asked == "":
        return None
    if not asked.isascii() or not asked.isdigit() or int(asked) < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got `{asked}`")
    return int(asked)


def _seconds(name):
    """A variable's value in seconds; None if it is not set."""
    asked = os.environ.get(name, "")
    if asked == "":
        return None
    seconds = float(asked) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", asked) else 0
    if not 0 < seconds <= LONGEST:
        raise ValueError(
            f"{name} must be a number of seconds above 0, up to {LONGEST}, such as 2.5, got `{asked}`"
        )
    return seconds

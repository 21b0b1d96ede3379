# Made by tierup; the same in every package.
"""How long a call may take and how many may wait, as the environment says."""

import os
import re
import time

from .errors import CallTimeoutError, TransportError

# More is likelier a server that is lost than one that catches up.
MOST_WAITING = 16_384

# How long `close()` waits for calls under way where none has a time-out, in seconds.
GRACE = 10

# More than any timer takes is more than anybody waits.
LONGEST = 1_000_000


class Limits:
    def __init__(self):
        # Of a call, in seconds; None where it may take as long as it likes.
        self.timeout = _call_timeout()
        self.most_waiting = whole_number("TIERUP_CALL_QUEUE") or MOST_WAITING
        self.grace = self.timeout or GRACE

    def deadline(self):
        """When a call that is made now has to be answered, by `time.monotonic()`; None where there is no time-out."""
        return None if self.timeout is None else time.monotonic() + self.timeout

    def waited_too_long(self):
        return CallTimeoutError(f"no worker was free for the call within {self.timeout:g} s (TIERUP_CALL_TIMEOUT)")

    def took_too_long(self, end=""):
        return CallTimeoutError(f"the call took longer than {self.timeout:g} s (TIERUP_CALL_TIMEOUT){end}")

    def too_many(self):
        return TransportError(
            f"{self.most_waiting} calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)"
        )


def left(deadline):
    """Seconds until then, None where that is never."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def whole_number(name):
    """The number that a variable has; None where it has none."""
    asked = os.environ.get(name, "")
    if asked == "":
        return None
    if not asked.isascii() or not asked.isdigit() or int(asked) < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got `{asked}`")
    return int(asked)


def _call_timeout():
    asked = os.environ.get("TIERUP_CALL_TIMEOUT", "")
    if asked == "":
        return None
    seconds = float(asked) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", asked) else 0
    if not 0 < seconds <= LONGEST:
        raise ValueError(
            f"TIERUP_CALL_TIMEOUT must be a number of seconds above 0, up to {LONGEST}, such as 2.5, got `{asked}`"
        )
    return seconds

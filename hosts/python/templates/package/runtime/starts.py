# Made by tierup; the same in every package.
"""The starts of a pool's workers: the pauses after failed ones, and which waiting calls a failed start ends.

A call waits for a worker at most until the start under way is over and one more has failed. Were each call to wait until some
start succeeds, workers that hang in turns would keep it waiting for ever. The pool's lock is held in every method.
"""

import copy
import time

from .errors import TransportError

# After a failed start the next one waits: this long at first, then twice as long each time, in seconds.
FIRST_WAIT = 0.05
LONGEST_WAIT = 5


class Start:
    def __init__(self, number, is_retry):
        self.number = number
        # Whether it began after a start had failed and none had succeeded.
        self.is_retry = is_retry
        # Its process, once there is one.
        self.worker = None
        self.is_given_up = False
        # When it was over, by `time.monotonic()`.
        self.end = None
        # Why it failed.
        self.error = None

    def give_up(self):
        self.is_given_up = True
        if self.worker is not None:
            self.worker.give_up()

    def needed(self):
        """Raises if it was given up."""
        if self.is_given_up:
            raise TransportError("the pool is closed")


class Starts:
    def __init__(self):
        # How many have begun. A call keeps the number that it found.
        self.begun = 0
        self.under_way = set()
        self.next = 0
        self._failed = 0
        # The last one that ended calls.
        self._fatal = None

    def pause(self):
        """How many seconds the next start has to wait."""
        return max(0.0, self.next - time.monotonic())

    def begin(self):
        self.begun += 1
        start = Start(self.begun, self._failed > 0)
        self.under_way.add(start)
        return start

    def succeed(self, start):
        self._end(start)
        self._failed = 0

    def fail(self, start, error, is_served):
        """`is_served`: whether a worker can be called, or is executing a call."""
        self._end(start)
        # What a traceback refers to would be kept alive.
        start.error = error.with_traceback(None)
        self.next = time.monotonic() + min(FIRST_WAIT * 2**self._failed, LONGEST_WAIT)
        self._failed = min(self._failed + 1, 10)
        if is_served or any(not other.is_retry for other in self.under_way):
            return
        if self._fatal is None or start.number > self._fatal.number:
            self._fatal = start

    def _end(self, start):
        self.under_way.discard(start)
        start.end = time.monotonic()

    def check(self, begun):
        """Raises if a start has failed that a call waited for; `begun` is the number that the call found."""
        if self._fatal is not None and begun < self._fatal.number:
            raise again(self._fatal.error)


def again(error):
    """A copy for each call: an exception that several threads raise would collect the tracebacks of all."""
    own = copy.copy(error)
    own.__cause__ = error.__cause__
    return own

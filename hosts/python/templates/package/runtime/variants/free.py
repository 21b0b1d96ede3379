# Made by tierup; the same in every package.
"""`0:free`: the ceiling. It calls the baseline once for each distinct list of arguments, then replays the recorded
answer or error. The server thus does all its work except the function's."""

import copy
import threading
from collections import OrderedDict

from ..forks import renew_after_fork
from ..keys import key_of
from ..kept import size_of
from ..recording import open_recording
from .baseline import Baseline
from .ways import Plain

# The limit for all records together, in bytes. Beyond it, the oldest are dropped.
MOST_BYTES = 64 << 20

# The approximate size of a record without its key and value.
RECORD_BYTES = 300

_IMMUTABLE = (str, bytes, int, float, bool, type(None))


class Outcome:
    __slots__ = ("value", "error", "bytes")

    def __init__(self, value=None, error=None):
        self.value = value
        self.error = error
        self.bytes = 0

    def replay(self):
        if self.error is not None:
            raise _again(self.error)
        # Callers may change their copy.
        return self.value if type(self.value) in _IMMUTABLE else copy.deepcopy(self.value)


def _again(error):
    """A copy to raise. The recorded error would keep the traceback of its last raise, and so the caller's arguments."""
    try:
        copied = copy.copy(error)
        if str(copied) == str(error):
            copied.__cause__ = error.__cause__
            copied.__suppress_context__ = error.__suppress_context__
            return copied
    except Exception:
        pass  # Objects of this class cannot be copied.
    return error.with_traceback(None)


class Free(Plain):
    def __init__(self, context, baseline):
        self.functions = context.functions
        self.baseline = Baseline(context.functions, baseline)
        self.records = OrderedDict()
        self.recorded_bytes = 0
        self.recording = open_recording()
        self.after_fork()
        if self.recording is not None:
            for number, key, value in self.recording.read():
                self.keep((number, key), Outcome(value))
        renew_after_fork(self)

    def after_fork(self):
        # A thread that the child does not have may hold the old lock. It is reentrant: freeing a value may run code of
        # the server that calls the function again.
        self.lock = threading.RLock()

    def call(self, number, *args):
        key = key_of(self.functions, number, args)
        # Arguments that Rust would refuse always go to the baseline.
        if key is None:
            return self.baseline.call(number, *args)
        outcome = self.records.get(key)
        if outcome is None:
            try:
                outcome = Outcome(self.baseline.call(number, *args))
            except Exception as error:
                outcome = Outcome(error=error.with_traceback(None))
            self.remember(key, outcome)
        return outcome.replay()

    async def call_async(self, number, *args):
        key = key_of(self.functions, number, args)
        if key is None:
            return await self.baseline.call_async(number, *args)
        outcome = self.records.get(key)
        if outcome is None:
            try:
                outcome = Outcome(await self.baseline.call_async(number, *args))
            except Exception as error:
                outcome = Outcome(error=error.with_traceback(None))
            self.remember(key, outcome)
        return outcome.replay()

    def remember(self, key, outcome):
        self.keep(key, outcome)
        # An error is kept only in this process: another one may lack the values that it refers to.
        if self.recording is not None and outcome.error is None:
            self.recording.add(*key, outcome.value)

    def keep(self, key, outcome):
        outcome.bytes = RECORD_BYTES + len(key[1]) + size_of(outcome.value)
        with self.lock:
            before = self.records.pop(key, None)
            if before is not None:
                self.recorded_bytes -= before.bytes
            self.records[key] = outcome
            self.recorded_bytes += outcome.bytes
            while self.recorded_bytes > MOST_BYTES and self.records:
                _, oldest = self.records.popitem(last=False)
                self.recorded_bytes -= oldest.bytes

    def ready(self):
        pass

    def close(self):
        pass


def load(context, baseline):
    return Free(context, baseline)

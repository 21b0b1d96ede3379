# Made by tierup; the same in every package.
"""`0:memo`: the server's own functions behind a bounded cache of their answers, by encoded arguments. It is correct for
a function whose answer depends only on its arguments.

Each caller gets a copy, so changing it affects no other caller. An error is not kept: the next call may succeed. If the
same call is under way on their event loop, awaited calls wait for it instead of repeating it. Calls in threads do not
wait for each other.
"""

import asyncio
import copy
import inspect
import threading
import time

from ..counts import Counts
from ..forks import renew_after_fork
from ..kept import Kept, size_of
from ..keys import key_of
from .baseline import Baseline
from .ways import Plain

# The greatest age of a call that others wait for, in seconds: a call that hangs must not block all later ones.
MOST_AGE = 10

_IMMUTABLE = (str, bytes, int, float, bool, type(None))

_NOTHING = object()


class UnderWay:
    """An awaited call that others wait for. Its result is the answer that is kept, or _NOTHING."""

    def __init__(self, loop):
        self.began = time.monotonic()
        self.future = loop.create_future()

    def end(self, kept):
        if not self.future.done():
            self.future.set_result(kept)


class Memo(Plain):
    def __init__(self, context, baseline):
        self.functions = context.functions
        self.own = Baseline(context.functions, baseline)
        self.is_async = [inspect.iscoroutinefunction(function) for function in baseline]
        self.kept = Kept()
        self.counts = Counts(self.kept)
        self.begin()
        renew_after_fork(self)

    def begin(self):
        self.lock = threading.Lock()
        # Awaited calls by key and event loop.
        self.under_way = {}

    def after_fork(self):
        self.kept.renew()
        self.counts.renew()
        self.begin()

    def call(self, number, *args):
        # As at tier 0, this refuses the answer of an asynchronous function.
        key = None if self.is_async[number] else key_of(self.functions, number, args)
        # Arguments that Rust would refuse always go to the baseline.
        if key is None:
            return self.own.call(number, *args)
        found = self.found(key)
        self.counts.note(found is not _NOTHING)
        if found is not _NOTHING:
            return found
        answer = self.own.call(number, *args)
        self.keep(key, answer)
        return answer

    async def call_async(self, number, *args):
        key = key_of(self.functions, number, args)
        if key is None:
            return await self.own.call_async(number, *args)
        found = self.found(key)
        if found is not _NOTHING:
            self.counts.note(True)
            return found
        loop = asyncio.get_running_loop()
        with self.lock:
            other = self.under_way.get((key, loop))
            is_first = other is None or time.monotonic() - other.began > MOST_AGE
            if is_first:
                mine = self.under_way[key, loop] = UnderWay(loop)
        if not is_first:
            # A cancelled waiter must not end the other call.
            found = copy_of(await asyncio.shield(other.future))
            self.counts.note(found is not _NOTHING)
            # An error belongs to the call that got it, so this one calls the function again.
            return await self.own.call_async(number, *args) if found is _NOTHING else found
        self.counts.note(False)
        kept = _NOTHING
        try:
            answer = await self.own.call_async(number, *args)
            kept = self.keep(key, answer)
            return answer
        finally:
            with self.lock:
                if self.under_way.get((key, loop)) is mine:
                    del self.under_way[key, loop]
            mine.end(kept)

    def found(self, key):
        """A copy of the kept answer; _NOTHING if there is none."""
        return copy_of(self.kept.get(key, _NOTHING))

    def keep(self, key, answer):
        """Keeps a copy, which the caller cannot change. Returns it, or _NOTHING if the answer cannot be copied."""
        try:
            kept = copied(answer)
            self.kept.put(key, kept, size_of(kept))
        except Exception:
            return _NOTHING  # A generator, a lock and the like, or a value that contains itself.
        return kept

    def ready(self):
        pass

    def close(self):
        self.counts.close()


def copied(value):
    return value if type(value) in _IMMUTABLE else copy.deepcopy(value)


def copy_of(kept):
    """A copy, or _NOTHING if that fails, as for a deep value in a deep recursion. Then the function is called."""
    if kept is _NOTHING:
        return kept
    try:
        return copied(kept)
    except Exception:
        return _NOTHING


def load(context, baseline):
    return Memo(context, baseline)

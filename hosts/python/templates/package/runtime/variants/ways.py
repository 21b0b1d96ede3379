# Made by tierup; the same in every package.
"""How a variant answers a call that is not awaited, and one that is: at once, or in a thread."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ..errors import TransportError


class Plain:
    def call_of(self, number):
        # The bound method itself: another function in between would cost time.
        return partial(self.call, number)


class AtOnce(Plain):
    """On the event loop: for calls that take less time than starting a thread."""

    async def call_async(self, number, *args):
        return self.call(number, *args)


class InThread(Plain):
    """In a thread of the variant's own: those of the event loop may all be busy with the server's own work."""

    def begin_threads(self, most):
        """Threads are started when they are needed. Those that a forked child inherits do not run there."""
        self.most = most
        self.threads = ThreadPoolExecutor(most, "tierup-call")

    def end_threads(self):
        """Lets the threads end when they are idle. Calls that were made are answered; calls that follow get new threads."""
        ended, self.threads = self.threads, ThreadPoolExecutor(self.most, "tierup-call")
        ended.shutdown(wait=False)

    def submit(self, call, *args, done=None):
        """The answer, to be awaited. Who awaits it must not hold it in a variable: with an error, that is a reference cycle."""
        try:
            future = self.threads.submit(call, *args)
        except RuntimeError as error:
            raise TransportError(f"there is no thread for the call: {error}") from error
        if done is not None:
            future.add_done_callback(done)
        return asyncio.wrap_future(future)

    async def call_async(self, number, *args):
        return await self.submit(self.call, number, *args)


class InQueue(InThread):
    """The same for calls with limits, which hold from the moment of the call: the time that it waits for a thread counts.

    A variant has `limits`; `waiting`, how many calls wait in threads; and `call_by(deadline, is_admitted, number, args)`.
    A call that is admitted may wait, however many others do.
    """

    def begin_threads(self, most):
        super().begin_threads(most)
        self.counting = threading.Lock()
        # How many awaited calls have no answer yet.
        self.awaited = 0

    def call(self, number, *args):
        return self.call_by(self.limits.deadline(), False, number, args)

    async def call_async(self, number, *args):
        return await self.admitted(number, args)

    def admitted(self, number, args):
        """The answer, to be awaited, unless too many calls wait."""
        deadline = self.limits.deadline()
        with self.counting:
            in_queue = self.awaited - self.most
            must_wait = in_queue >= 0
            if must_wait and in_queue + self.waiting >= self.limits.most_waiting:
                raise self.limits.too_many()
            self.awaited += 1
        try:
            return self.submit(self.call_by, deadline, must_wait, number, args, done=self.count_answered)
        except TransportError:
            self.count_answered()
            raise

    def count_answered(self, _=None):
        with self.counting:
            self.awaited -= 1

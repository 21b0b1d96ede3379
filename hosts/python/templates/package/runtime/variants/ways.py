# Made by tierup; the same in every package.
"""How a variant answers a call that is not awaited, and one that is: at once, or in a thread."""

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor

from ..._interface import FUNCTIONS
from ..errors import TransportError


class Plain:
    def bound(self, counters):
        calls = [counters.counted(self.call, number) for number in range(len(FUNCTIONS))]
        return calls, counters.counted_async(self.call_async)


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

    def submit(self, call, *args):
        """Calls in a thread; returns the future."""
        try:
            return self.threads.submit(call, *args)
        except RuntimeError as error:
            raise TransportError(f"there is no thread for the call: {error}") from error

    async def call_async(self, number, *args):
        # The future is held in no variable: with an error, that would be a reference cycle.
        return await asyncio.wrap_future(self.submit(self.call, number, *args))


class InQueue(InThread):
    """The same for calls with limits, which hold from the moment of the call: the time that it waits for a thread counts.

    A variant has `limits`; `waiting`, how many calls wait in threads; and `call_by(deadline, is_admitted, number, args)`.
    A call that is admitted may wait, however many others do. A call that is cancelled before a thread has taken it leaves the
    queue, which the executor's own queue does not support.
    """

    def begin_threads(self, most):
        super().begin_threads(most)
        self.counting = threading.Lock()
        # The awaited calls that no thread has taken yet.
        self.queue = OrderedDict()
        # How many threads were asked to take one and have not done so.
        self.asked = 0
        # How many awaited calls threads execute.
        self.running = 0

    def call(self, number, *args):
        return self.call_by(self.limits.deadline(), False, number, args)

    async def call_async(self, number, *args):
        return await asyncio.wrap_future(self.admitted(number, args))

    def admitted(self, number, args):
        """The future of the answer, unless too many calls wait."""
        deadline = self.limits.deadline()
        future = Future()
        with self.counting:
            in_queue = self.running + len(self.queue) - self.most
            must_wait = in_queue >= 0
            if must_wait and in_queue + self.waiting >= self.limits.most_waiting:
                raise self.limits.too_many()
            self.queue[future] = (deadline, must_wait, number, args)
            needs_thread = self.asked < len(self.queue)
            self.asked += needs_thread
        future.add_done_callback(self.leave)
        if needs_thread:
            try:
                self.submit(self.answer_next)
            except TransportError:
                with self.counting:
                    self.asked -= 1
                self.leave(future)
                raise
        return future

    def leave(self, future):
        """Before whoever awaits the call learns that it is over."""
        with self.counting:
            if self.queue.pop(future, None) is None:
                self.running -= 1

    def answer_next(self):
        """In a thread: answers the call that has waited longest. There may be none, if some were cancelled."""
        with self.counting:
            self.asked -= 1
            if not self.queue:
                return
            future, call = self.queue.popitem(last=False)
            self.running += 1
        try:
            if future.set_running_or_notify_cancel():
                answer = self.call_by(*call)
                future.set_result(answer)
        except BaseException as error:
            future.set_exception(error)
        finally:
            # Otherwise an error refers to this frame, which refers to the future, which has the error: a reference cycle.
            del future, call

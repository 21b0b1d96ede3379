# Made by tierup; the same in every package.
"""How a variant answers calls and awaited calls: at once, or in a thread."""

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
    """Answers on the event loop. For calls that are shorter than the start of a thread."""

    async def call_async(self, number, *args):
        return self.call(number, *args)


class InThread(Plain):
    """Answers in a thread of the variant's own, as the server's work may keep all threads of the event loop busy."""

    def begin_threads(self, most):
        """Threads start when they are needed. A forked child starts its own."""
        self.most = most
        self.threads = ThreadPoolExecutor(most, "tierup-call")

    def end_threads(self):
        """Lets idle threads end. Earlier calls are still answered; later calls get new threads."""
        ended, self.threads = self.threads, ThreadPoolExecutor(self.most, "tierup-call")
        ended.shutdown(wait=False)

    def submit(self, call, *args):
        """Calls in a thread. Returns the future."""
        try:
            return self.threads.submit(call, *args)
        except RuntimeError as error:
            raise TransportError(f"there is no thread for the call: {error}") from error

    async def call_async(self, number, *args):
        # A variable for the future would make a reference cycle with an error.
        return await asyncio.wrap_future(self.submit(self.call, number, *args))


class InQueue(InThread):
    """The same for calls with limits. They hold from the moment of the call, so time spent waiting for a thread counts.

    A variant has `limits`; `waiting`, how many calls wait in threads; and `call_by(deadline, is_admitted, number,
    args)`. An admitted call may wait, however many others do. A call that is cancelled before a thread takes it leaves
    the queue, which the executor's own queue does not support.
    """

    def begin_threads(self, most):
        super().begin_threads(most)
        self.counting = threading.Lock()
        # Awaited calls that no thread has taken yet.
        self.queue = OrderedDict()
        # How many threads were asked to take a call and have not done so.
        self.asked = 0
        # How many awaited calls run in threads.
        self.running = 0

    def call(self, number, *args):
        return self.call_by(self.limits.deadline(), False, number, args)

    async def call_async(self, number, *args):
        return await asyncio.wrap_future(self.admitted(number, args))

    def admitted(self, number, args):
        """The future of the answer. Raises if too many calls wait."""
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
        """Removes a call. This runs before the awaiting code learns that the call is over."""
        with self.counting:
            if self.queue.pop(future, None) is None:
                self.running -= 1

    def answer_next(self):
        """Runs in a thread: answers the call that has waited longest. There may be none, if some were cancelled."""
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
            # Otherwise there is a cycle: an error refers to this frame, the frame to the future, that to the error.
            del future, call

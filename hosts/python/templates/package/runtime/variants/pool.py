# Made by tierup; the same in every package.
"""`1:pool`: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them.

Whoever calls takes a worker, writes, reads and puts it back: threads wait for each other only where all are busy. A
process that is forked from this one starts workers of its own.
"""

import select
import struct
import threading
import time

from ..answers import read_answer
from ..errors import TransportError, Unavailable
from ..forks import renew_after_fork
from ..limits import Limits, left, whole_number
from ..parallelism import parallelism
from ..programs import program
from ..starter import Starter
from ..worker import Worker
from .ways import InThread

# Where workers die at their start, the next one waits: this long at first, then twice as long each time, in seconds.
FIRST_WAIT = 0.05
LONGEST_WAIT = 5

# How long those whose workers `close()` has ended may take to notice, in seconds.
GRACE_OF_CALLERS = 5

_frame = struct.Struct("<II").pack
_frame_length = struct.Struct("<I").pack_into


class Pool(InThread):
    def __init__(self, context, size, limits):
        self.functions = context.functions
        self.abi = context.abi
        self.path = program(context)
        self.size = size
        self.limits = limits
        self.begin()
        # Not at the first call: by then the main thread may be through, and CPython start no thread any more.
        self.starter.begin()
        renew_after_fork(self)

    def begin(self):
        self.changed = threading.Condition()
        # The one that was put back last is the first to be taken: its memory is in the caches.
        self.idle = []
        self.busy = set()
        # How many calls wait for a worker.
        self.waiting = 0
        # All that exist or are being started.
        self.count = 0
        self.is_closed = False
        self.is_given_up = False
        self.failed_starts = 0
        self.next_start = 0
        self.starter = Starter()

    def call(self, number, *args):
        function = self.functions[number]
        frame = function.encoded(args, _frame(0, number))
        _frame_length(frame, 0, len(frame) - 4)
        deadline = self.limits.deadline()
        worker = self.take(deadline)
        try:
            answer = worker.ask(frame, deadline)
        except BaseException:
            # Also where the caller was interrupted: the answer that is still to come is nobody's.
            self.drop(worker)
            raise
        self.put_back(worker)
        return read_answer(function, answer)

    def take(self, deadline):
        with self.changed:
            is_waiting = False
            try:
                while True:
                    if self.is_closed:
                        raise TransportError("the pool is closed")
                    if self.idle:
                        worker = self.idle.pop()
                        if worker.is_usable():
                            self.busy.add(worker)
                            return worker
                        # It had nothing to do when it died, so that no call is lost with it.
                        worker.kill()
                        self.count -= 1
                    elif self.count < self.size:
                        self.count += 1
                        break
                    elif not is_waiting and self.waiting >= self.limits.most_waiting:
                        raise self.limits.too_many()
                    elif left(deadline) == 0:
                        # Whoever told this one that something is free shall not have told it in vain.
                        self.changed.notify()
                        raise self.limits.waited_too_long()
                    else:
                        self.waiting += not is_waiting
                        is_waiting = True
                        self.changed.wait(left(deadline))
            finally:
                self.waiting -= is_waiting
        worker = self.started(deadline)
        with self.changed:
            self.busy.add(worker)
            is_given_up = self.is_given_up
        if is_given_up:
            self.drop(worker)
            raise TransportError("the pool was closed before the call was answered")
        if left(deadline) == 0:
            self.put_back(worker)
            raise self.limits.waited_too_long()
        return worker

    def pause(self, deadline):
        """Waits until another worker may be started."""
        wait = self.next_start - time.monotonic()
        if wait <= 0:
            return
        end = left(deadline)
        time.sleep(wait if end is None else min(wait, end))
        if end is not None and end < wait:
            raise self.limits.waited_too_long()

    def started(self, deadline=None):
        """A new worker, for whoever has counted it already."""
        try:
            self.pause(deadline)
        except BaseException:
            self.forget()
            raise
        worker = None
        try:
            worker = self.starter.call(Worker, self.path, self.abi, self.limits)
        except RuntimeError as error:
            raise TransportError(f"{self.path} cannot be started any more: {error}") from error
        finally:
            with self.changed:
                if worker is None:
                    self.count -= 1
                    pause = min(FIRST_WAIT * 2**self.failed_starts, LONGEST_WAIT)
                    self.next_start = time.monotonic() + pause
                    self.failed_starts = min(self.failed_starts + 1, 10)
                    self.tell()
                else:
                    self.failed_starts = 0
        return worker

    def put_back(self, worker):
        with self.changed:
            self.busy.discard(worker)
            self.idle.append(worker)
            self.tell()

    def drop(self, worker):
        worker.kill()
        with self.changed:
            self.busy.discard(worker)
        self.forget()

    def forget(self):
        """Makes room for another worker."""
        with self.changed:
            self.count -= 1
            self.tell()

    def tell(self):
        """One that waits can have what there is; where the pool is closed, whoever closes it looks too."""
        self.changed.notify_all() if self.is_closed else self.changed.notify()

    def ready(self):
        """Returns when all workers can be called."""
        while True:
            with self.changed:
                if self.is_closed or self.count >= self.size:
                    return
                self.count += 1
            self.put_back(self.started())

    def close(self):
        """Answers what is under way, or gives it up where that takes too long; then ends the workers."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
            if not self.all_are_idle(self.limits.grace):
                self.is_given_up = True
                for worker in self.busy:
                    worker.give_up()
                self.all_are_idle(GRACE_OF_CALLERS)
            idle, self.idle = self.idle, []
            self.count = 0
        for worker in idle:
            worker.close()
        self.starter.end()

    def all_are_idle(self, seconds):
        """Whether all workers that there are were put back within so many seconds."""
        end = time.monotonic() + seconds
        while len(self.idle) < self.count and time.monotonic() < end:
            self.changed.wait(left(end))
        return len(self.idle) >= self.count

    def after_fork(self):
        """In a forked child: the workers are the parent's. Their pipes are given up in `programs.py`."""
        was_closed = self.is_closed
        self.begin()
        self.is_closed = was_closed


def load(context):
    limits = Limits()
    if limits.timeout is not None and not hasattr(select, "poll"):
        raise Unavailable("TIERUP_CALL_TIMEOUT needs a system that has poll: take 1:spawn, or leave it out")
    # How many workers: TIERUP_WORKERS, or the processors that this process may use.
    return Pool(context, whole_number("TIERUP_WORKERS") or parallelism(), limits)

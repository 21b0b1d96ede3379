# Made by tierup; the same in every package.
"""`1:pool`: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them.

Whoever calls takes a worker, writes, reads and puts it back: threads wait for each other only if all are busy. A process
that is forked from this one starts its own workers.
"""

import select
import struct
import threading
import time

from ..answers import read_answer
from ..errors import CallTimeoutError, TransportError, Unavailable
from ..forks import renew_after_fork
from ..limits import Limits, left, whole_number
from ..parallelism import parallelism
from ..programs import program
from ..starter import Starter
from ..worker import Worker
from .ways import InQueue

# After a failed start the next one waits: this long at first, then twice as long each time, in seconds.
FIRST_WAIT = 0.05
LONGEST_WAIT = 5

# How long callers whose workers `close()` has killed may take to notice, in seconds.
GRACE_OF_CALLERS = 5

_frame = struct.Struct("<II").pack
_frame_length = struct.Struct("<I").pack_into


class Pool(InQueue):
    def __init__(self, context, size, limits):
        self.functions = context.functions
        self.abi = context.abi
        self.path = program(context)
        self.size = size
        self.limits = limits
        self.begin()
        # Now rather than at the first call: once the main thread has ended, CPython starts no thread any more.
        self.starter.begin()
        renew_after_fork(self)

    def begin(self):
        self.changed = threading.Condition()
        # The last is the first to be taken: its memory is in the caches. Those that are still starting come first.
        self.idle = []
        # Those that have a call or are greeted.
        self.busy = set()
        # How many calls wait for a worker.
        self.waiting = 0
        # How many exist or are about to be started.
        self.count = 0
        self.is_closed = False
        self.is_given_up = False
        self.has_ended = False
        self.failed_starts = 0
        self.next_start = 0
        self.starter = Starter()
        self.begin_threads(self.size)

    def call_by(self, deadline, is_admitted, number, args):
        function = self.functions[number]
        frame = function.encoded(args, _frame(0, number))
        _frame_length(frame, 0, len(frame) - 4)
        worker = self.take(deadline, is_admitted)
        try:
            answer = worker.ask(frame, deadline)
        except BaseException:
            # Even if the caller was interrupted: nobody reads the answer that is still to come.
            self.drop(worker)
            raise
        self.put_back(worker)
        return read_answer(function, answer)

    def take(self, deadline, is_admitted):
        worker = self.idle_one(deadline, is_admitted) or self.spawned(deadline)
        if not worker.is_greeted:
            self.greet(worker, deadline)
        return worker

    def idle_one(self, deadline, is_admitted):
        """Waits for an idle worker; None if a new one may be started, which is counted already."""
        with self.changed:
            is_waiting = False
            try:
                while True:
                    if self.is_closed:
                        raise TransportError("the pool is closed")
                    if left(deadline) == 0:
                        # A notification that this call got must reach another one that waits.
                        self.changed.notify()
                        raise self.limits.waited_too_long()
                    if self.idle:
                        worker = self.idle.pop()
                        if worker.is_usable():
                            self.busy.add(worker)
                            return worker
                        # It died while it was idle, so no call is lost with it.
                        worker.kill()
                        self.count -= 1
                    elif self.count < self.size:
                        self.count += 1
                        return None
                    elif not is_waiting and not is_admitted and self.waiting >= self.limits.most_waiting:
                        raise self.limits.too_many()
                    else:
                        self.waiting += not is_waiting
                        is_waiting = True
                        self.changed.wait(left(deadline))
            finally:
                self.waiting -= is_waiting

    def pause(self, deadline):
        """Waits until another worker may be started."""
        wait = self.next_start - time.monotonic()
        if wait <= 0:
            return
        end = left(deadline)
        time.sleep(wait if end is None else min(wait, end))
        if end is not None and end < wait:
            raise self.limits.waited_too_long()

    def spawned(self, deadline):
        """A worker whose process was just created. From here on, `close` can end it."""
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
                    self.count_failed_start()
                else:
                    self.busy.add(worker)
                    if self.is_given_up:
                        worker.give_up()
        return worker

    def greet(self, worker, deadline):
        """Waits until a worker has started. It goes on starting after the deadline, for the calls that follow."""
        try:
            worker.greet(deadline)
        except CallTimeoutError:
            self.put_back(worker)
            raise
        except BaseException:
            worker.kill()
            with self.changed:
                self.busy.discard(worker)
                self.count_failed_start()
            raise
        with self.changed:
            self.failed_starts = 0

    def count_failed_start(self):
        """Makes room for another worker, which has to wait before it is started."""
        self.count -= 1
        self.next_start = time.monotonic() + min(FIRST_WAIT * 2**self.failed_starts, LONGEST_WAIT)
        self.failed_starts = min(self.failed_starts + 1, 10)
        self.tell()

    def put_back(self, worker):
        with self.changed:
            self.busy.discard(worker)
            if self.has_ended:
                # Its caller took longer than `close` waits.
                worker.kill()
            elif worker.is_greeted:
                self.idle.append(worker)
            else:
                self.idle.insert(0, worker)
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
        """Wakes one call that waits, or all and `close` if the pool is being closed."""
        self.changed.notify_all() if self.is_closed else self.changed.notify()

    def ready(self):
        """Returns when all workers can be called."""
        while True:
            with self.changed:
                if self.is_closed:
                    return
                worker = None
                if self.idle and not self.idle[0].is_greeted:
                    worker = self.idle.pop(0)
                    self.busy.add(worker)
                elif self.count < self.size:
                    self.count += 1
                else:
                    return
            worker = worker or self.spawned(None)
            self.greet(worker, None)
            self.put_back(worker)

    def close(self):
        """Waits for running calls, gives them up if that takes too long, then ends the workers."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
            if not self.all_are_idle(self.limits.grace):
                self.is_given_up = True
                for worker in self.busy:
                    worker.give_up()
                self.all_are_idle(GRACE_OF_CALLERS)
            self.has_ended = True
            idle, self.idle = self.idle, []
            self.count = 0
        for worker in idle:
            worker.close()
        self.starter.end()
        self.end_threads()

    def all_are_idle(self, seconds):
        """Waits until all workers are idle; False if that takes longer than so many seconds."""
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
        raise Unavailable("TIERUP_CALL_TIMEOUT needs a system that has poll: use 1:spawn, or do not set it")
    # By default one worker for each processor that this process may use.
    return Pool(context, whole_number("TIERUP_WORKERS") or parallelism(), limits)

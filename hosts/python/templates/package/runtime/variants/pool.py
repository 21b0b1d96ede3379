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
from ..errors import TransportError, Unavailable
from ..forks import renew_after_fork
from ..limits import Limits, left, whole_number
from ..parallelism import parallelism
from ..programs import program
from ..starter import Starter
from ..starts import Starts, again
from ..worker import Worker, end_all
from .ways import InQueue

# How long callers and starts whose workers `close()` has killed may take to notice, in seconds.
GRACE_OF_CALLERS = 5

_frame = struct.Struct("<II").pack
_frame_length = struct.Struct("<I").pack_into


class Pool(InQueue):
    def __init__(self, context, line, size, limits):
        """`line`: the command that starts a worker."""
        self.functions = context.functions
        self.abi = context.abi
        self.line = line
        self.path = line[0]
        self.size = size
        self.limits = limits
        self.begin()
        # Now rather than at the first call: once the main thread has ended, CPython starts no thread any more.
        self.starter.begin()
        renew_after_fork(self)

    def begin(self):
        lock = threading.RLock()
        self.changed = threading.Condition(lock)
        # For `ready`. It must not take a notification of `changed`, which may be meant for one call.
        self.start_ended = threading.Condition(lock)
        # Those that can be called. The last is the first to be taken: its memory is in the caches.
        self.idle = []
        # Those that have a call.
        self.busy = set()
        self.starts = Starts()
        # How many calls have no worker yet.
        self.in_line = 0
        self.is_closed = False
        self.has_ended = False
        self.starter = Starter()
        self.begin_threads(self.size)

    @property
    def missing(self):
        """How many workers cannot be called: they are starting, or will be started."""
        return self.size - len(self.idle) - len(self.busy)

    @property
    def waiting(self):
        """How many calls wait for a worker. Those that a missing worker will take do not count."""
        return max(0, self.in_line - self.missing)

    def call_by(self, deadline, is_admitted, number, args):
        frame = self.encoded(number, args, _frame(0, number))
        _frame_length(frame, 0, len(frame) - 4)
        worker = self.take(deadline, is_admitted)
        try:
            answer = worker.ask(frame, deadline)
        except BaseException:
            # Even if the caller was interrupted: nobody reads the answer that is still to come.
            self.drop(worker)
            raise
        self.put_back(worker)
        return self.answer(number, answer)

    def encoded(self, number, args, head):
        """A frame that begins with `head`, as a `bytearray`."""
        return self.functions[number].encoded(args, head)

    def answer(self, number, data):
        """The value in an answer; raises its error."""
        return read_answer(self.functions[number], data)

    def take(self, deadline, is_admitted):
        """Waits for a worker that can be called. Starts one if none is free, which any call may take."""
        with self.changed:
            begun = self.starts.begun
            is_waiting = has_started_one = False
            try:
                while True:
                    if self.is_closed and not (is_waiting and (self.idle or self.starts.under_way)):
                        raise TransportError("the pool is closed")
                    if left(deadline) == 0:
                        raise self.limits.waited_too_long()
                    worker = self.idle_one()
                    if worker is not None:
                        self.busy.add(worker)
                        return worker
                    self.starts.check(begun)
                    pause = None
                    if self.may_start(has_started_one):
                        pause = self.starts.pause()
                        if pause == 0:
                            has_started_one = True
                            self.start()
                            continue
                    if not is_waiting and not is_admitted and self.waiting >= self.limits.most_waiting:
                        raise self.limits.too_many()
                    self.in_line += not is_waiting
                    is_waiting = True
                    self.changed.wait(sooner(pause, left(deadline)))
            except BaseException:
                # A notification that this call got must reach another one that waits.
                self.changed.notify()
                raise
            finally:
                self.in_line -= is_waiting
                if self.is_closed:
                    self.changed.notify_all()

    def idle_one(self):
        """Takes an idle worker; None if there is none."""
        while self.idle:
            worker = self.idle.pop()
            if worker.is_usable():
                return worker
            # It died while it was idle, so no call is lost with it.
            worker.kill()
        return None

    def may_start(self, has_started_one):
        """Whether a call without a worker may start one: its first, or one that the starts under way leave wanting."""
        under_way = len(self.starts.under_way)
        return not self.is_closed and under_way < self.missing and (not has_started_one or under_way < self.in_line)

    def start(self):
        """Starts a worker. The starter's thread creates its process."""
        start = self.starts.begin()
        try:
            self.starter.order(self.create, start)
        except RuntimeError as error:
            failure = TransportError(f"{self.path} cannot be started any more: {error}")
            failure.__cause__ = error
            self.failed(start, failure)
        return start

    def create(self, start):
        """In the starter's thread. Another one waits until the worker has started."""
        try:
            start.needed()
            worker = Worker(self.line, self.abi, self.limits)
        except BaseException as error:
            self.failed(start, error)
            return
        with self.changed:
            start.worker = worker
            if start.is_given_up:
                worker.give_up()
        try:
            threading.Thread(target=self.greet, args=(start,), name="tierup-start", daemon=True).start()
        except RuntimeError:
            # Once the main thread has ended there is no other one.
            self.greet(start)

    def greet(self, start):
        worker = start.worker
        try:
            worker.greet()
        except BaseException as error:
            worker.kill()
            self.failed(start, error)
            return
        with self.changed:
            self.starts.succeed(start)
            self.idle.append(worker)
            if self.has_ended:
                self.idle.remove(worker)
                worker.kill()
            self.tell()
            self.start_ended.notify_all()

    def failed(self, start, error):
        with self.changed:
            self.starts.fail(start, error, bool(self.idle or self.busy))
            self.changed.notify_all()
            self.start_ended.notify_all()

    def put_back(self, worker):
        with self.changed:
            self.busy.discard(worker)
            if self.has_ended:
                # Its caller took longer than `close` waits.
                worker.kill()
            else:
                self.idle.append(worker)
            self.tell()

    def drop(self, worker):
        """Makes room for another worker."""
        worker.kill()
        with self.changed:
            self.busy.discard(worker)
            self.tell()

    def tell(self):
        """Wakes one call that waits, or all and `close` if the pool is being closed."""
        self.changed.notify_all() if self.is_closed else self.changed.notify()

    def ready(self):
        """Returns when all workers can be called; raises the first error once no start is under way that it waited for."""
        with self.changed:
            while not self.is_closed and self.missing > len(self.starts.under_way) and self.starts.pause() > 0:
                self.start_ended.wait(self.starts.pause())
            starts = list(self.starts.under_way)
            if not self.is_closed:
                starts += [self.start() for _ in range(self.missing - len(starts))]
            while any(start.end is None for start in starts):
                self.start_ended.wait()
            failed = [start for start in starts if start.error is not None]
            if failed and not self.is_closed:
                raise again(min(failed, key=lambda start: start.end).error)

    def close(self):
        """Waits for running calls, gives them up if that takes too long, then ends the workers."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
            self.wait_until(lambda: not self.busy and not self.in_line, self.limits.grace)
            for unfinished in (*self.busy, *self.starts.under_way):
                unfinished.give_up()
            self.wait_until(lambda: not self.busy and not self.starts.under_way, GRACE_OF_CALLERS)
            self.has_ended = True
            idle, self.idle = self.idle, []
        end_all(idle)
        self.starter.end()
        self.end_threads()

    def wait_until(self, is_so, seconds):
        """Waits until something is so, at most so many seconds."""
        end = time.monotonic() + seconds
        while not is_so() and time.monotonic() < end:
            self.changed.wait(left(end))

    def after_fork(self):
        """In a forked child: the workers are the parent's. Their pipes are given up in `programs.py`."""
        was_closed = self.is_closed
        self.begin()
        self.is_closed = was_closed


def sooner(pause, end):
    """The shorter of two times in seconds; None is endless."""
    return min((seconds for seconds in (pause, end) if seconds is not None), default=None)


def load(context):
    line = (program(context), "--tierup-worker", context.abi)
    return made(Pool, context, line)


def made(kind, *args):
    """A pool of this class, of the size and with the limits that the environment sets."""
    limits = Limits()
    if limits.timeout is not None and not hasattr(select, "poll"):
        raise Unavailable("TIERUP_CALL_TIMEOUT needs a system that has poll: use 1:spawn, or do not set it")
    # By default one worker for each processor that this process may use.
    return kind(*args, whole_number("TIERUP_WORKERS") or parallelism(), limits)

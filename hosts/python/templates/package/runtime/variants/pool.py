# Made by tierup; the same in every package.
"""`1:pool`: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them.

A caller takes a worker, writes, reads and puts it back, so threads wait only if all workers are busy. The companion
starts the processes. A forked process has workers of its own.
"""

import socket
import struct
import threading
import time

from ..answers import read_answer
from ..companion import Companion
from ..errors import CallTimeoutError, TransportError, Unavailable
from ..forks import renew_after_fork
from ..limits import GRACE_OF_CALLERS, Limits, left, whole_number
from ..parallelism import parallelism
from ..programs import program
from ..worker import Unheard, Worker, end_all
from .ways import InQueue

_frame = struct.Struct("<II").pack
_frame_length = struct.Struct("<I").pack_into


class Pool(InQueue):
    def __init__(self, context, size, limits, source):
        """`source` connects to workers."""
        self.functions = context.functions
        self.abi = context.abi
        self.size = size
        self.limits = limits
        self.source = source
        self.begin()
        renew_after_fork(self)

    def begin(self):
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        # Workers without a call. The last one is taken first, as its memory is still in the CPU's caches.
        self.idle = []
        # Workers that a call uses, or that a call or `ready` is starting.
        self.busy = set()
        # How many calls wait for a worker.
        self.waiting = 0
        self.is_closed = False
        self.has_ended = False
        self.begin_threads(self.size)

    def call_by(self, deadline, is_admitted, number, args):
        frame = self.encoded(number, args, _frame(0, number))
        _frame_length(frame, 0, len(frame) - 4)
        while True:
            worker = self.take(deadline, is_admitted)
            try:
                answer = worker.ask(frame, deadline)
                break
            except Unheard:
                self.drop(worker)
            except BaseException:
                # This includes interruptions of the caller: nobody reads the answer that is still to come.
                self.drop(worker)
                raise
        self.put_back(worker)
        return self.answer(number, answer)

    def encoded(self, number, args, head):
        """A frame that begins with `head`, as a `bytearray`."""
        return self.functions[number].encoded(args, head)

    def answer(self, number, data):
        """The value in an answer. Raises the answer's error."""
        return read_answer(self.functions[number], data)

    def take(self, deadline, is_admitted):
        """Takes a worker that can be called. Starts one if none is free."""
        may_start, may_repeat = True, True
        while True:
            worker = self.next_one(deadline, is_admitted, may_start)
            try:
                worker.greet(deadline)
                return worker
            except BaseException as error:
                has_usable = self.drop(worker)
                if may_repeat and isinstance(error, Unheard):
                    may_repeat = False
                elif has_usable and isinstance(error, TransportError) and not isinstance(error, CallTimeoutError):
                    # From now on the call waits for a worker that can be called.
                    may_start = False
                else:
                    raise

    def next_one(self, deadline, is_admitted, may_start):
        with self.lock:
            if self.idle and not self.is_closed:
                return self.busy_one()
            is_waiting = False
            try:
                while True:
                    if self.is_closed and not (is_waiting and (self.idle or self.busy)):
                        raise TransportError("the pool is closed")
                    if left(deadline) == 0:
                        raise self.limits.waited_too_long()
                    if self.idle or self.missing and (may_start or not self.has_usable()):
                        return self.busy_one()
                    if not is_waiting and not is_admitted and self.waiting >= self.limits.most_waiting:
                        raise self.limits.too_many()
                    self.waiting += not is_waiting
                    is_waiting = True
                    self.changed.wait(left(deadline))
            except BaseException:
                # A notification that woke this call must wake another one that waits.
                self.changed.notify()
                raise
            finally:
                self.waiting -= is_waiting
                if self.is_closed:
                    self.changed.notify_all()

    def busy_one(self):
        """Takes an idle worker, or makes a new one, which must be greeted."""
        worker = self.idle.pop() if self.idle else Worker(self.source, self.abi, self.limits)
        self.busy.add(worker)
        return worker

    @property
    def missing(self):
        """How many more workers may be started."""
        return self.size - len(self.idle) - len(self.busy)

    def has_usable(self):
        return bool(self.idle) or any(worker.is_greeted for worker in self.busy)

    def put_back(self, worker):
        with self.lock:
            self.busy.discard(worker)
            if self.has_ended:
                # The call took longer than `close` waits.
                worker.close()
            else:
                worker.has_rested = True
                self.idle.append(worker)
            self.tell()

    def drop(self, worker):
        """Makes room for another worker. Returns whether some worker can be called."""
        worker.close()
        with self.lock:
            self.busy.discard(worker)
            self.tell()
            return self.has_usable()

    def tell(self):
        """Wakes one waiting call. If the pool is being closed, wakes all and `close`."""
        if self.is_closed:
            self.changed.notify_all()
        elif self.waiting:
            self.changed.notify()

    def ready(self):
        """Starts the missing workers. Raises the first error once all have started or failed."""
        with self.lock:
            own = [] if self.is_closed else [Worker(self.source, self.abi, self.limits) for _ in range(self.missing)]
            self.busy.update(own)
        failure = None
        for step in (Worker.open, Worker.greet):
            # The workers start concurrently.
            for worker in list(own):
                try:
                    step(worker, None)
                except BaseException as error:
                    own.remove(worker)
                    self.drop(worker)
                    failure = failure or str(error)
                    if not isinstance(error, TransportError):
                        for other in own:
                            self.drop(other)
                        raise
        for worker in own:
            self.put_back(worker)
        if failure and not self.is_closed:
            raise TransportError(failure)

    def close(self):
        """Waits for running calls, gives them up if they take too long, then ends the workers."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
            self.wait_until(lambda: not self.busy and not self.waiting, self.limits.grace)
            for unfinished in self.busy:
                unfinished.give_up()
            self.wait_until(lambda: not self.busy, GRACE_OF_CALLERS)
            self.has_ended = True
            idle, self.idle = self.idle, []
        end_all(idle)
        self.source.end()
        self.end_threads()

    def wait_until(self, is_so, seconds):
        """Waits for a condition, at most for this many seconds."""
        end = time.monotonic() + seconds
        while not is_so() and time.monotonic() < end:
            self.changed.wait(left(end))

    def after_fork(self):
        """Renews the pool in a forked child. The workers are the parent's; `programs.py` closes their connections."""
        was_closed = self.is_closed
        self.source.after_fork()
        self.begin()
        self.is_closed = was_closed


def load(context):
    if not hasattr(socket, "AF_UNIX"):
        raise Unavailable("it needs a system with Unix sockets: use 1:spawn")
    limits = Limits()
    return Pool(context, size(), limits, Companion(program(context), context.abi, limits))


def size():
    """The number of workers: by default, one for each processor that this process may use."""
    return whole_number("TIERUP_WORKERS") or parallelism()

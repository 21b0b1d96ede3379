# Made by tierup; the same in every package.
"""`1:pool`: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them.

Whoever calls takes a worker, writes, reads and puts it back: threads wait for each other only where all are busy. A
process that is forked from this one starts workers of its own.
"""

import os
import struct
import threading
import time

from ..answers import read_answer
from ..errors import TransportError
from ..forks import renew_after_fork
from ..parallelism import parallelism
from ..programs import program
from ..starter import Starter
from ..worker import Worker
from .ways import InThread

# Where workers die at their start, the next one waits: this long at first, then twice as long each time, in seconds.
FIRST_WAIT = 0.05
LONGEST_WAIT = 5

_frame = struct.Struct("<II").pack
_frame_length = struct.Struct("<I").pack_into


class Pool(InThread):
    def __init__(self, context, size):
        self.functions = context.functions
        self.abi = context.abi
        self.path = program(context)
        self.size = size
        self.begin()
        # Not at the first call: by then the main thread may be through, and CPython start no thread any more.
        self.starter.begin()
        renew_after_fork(self)

    def begin(self):
        self.changed = threading.Condition()
        # The one that was put back last is the first to be taken: its memory is in the caches.
        self.idle = []
        # All that exist or are being started.
        self.count = 0
        self.is_closed = False
        self.failed_starts = 0
        self.next_start = 0
        self.starter = Starter()

    def call(self, number, *args):
        function = self.functions[number]
        frame = function.encoded(args, _frame(0, number))
        _frame_length(frame, 0, len(frame) - 4)
        worker = self.take()
        try:
            answer = worker.ask(frame)
        except BaseException:
            # Also where the caller was interrupted: the answer that is still to come is nobody's.
            self.drop(worker)
            raise
        self.put_back(worker)
        return read_answer(function, answer)

    def take(self):
        with self.changed:
            while True:
                if self.is_closed:
                    raise TransportError("the pool is closed")
                if self.idle:
                    worker = self.idle.pop()
                    if worker.is_usable():
                        return worker
                    # It had nothing to do when it died, so that no call is lost with it.
                    worker.kill()
                    self.count -= 1
                elif self.count < self.size:
                    self.count += 1
                    break
                else:
                    self.changed.wait()
        return self.started()

    def started(self):
        """A new worker, for whoever has counted it already."""
        worker = None
        try:
            wait = self.next_start - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            worker = self.starter.call(Worker, self.path, self.abi)
        except RuntimeError as error:
            raise TransportError(f"{self.path} cannot be started any more: {error}") from error
        finally:
            with self.changed:
                if worker is None:
                    self.count -= 1
                    pause = min(FIRST_WAIT * 2**self.failed_starts, LONGEST_WAIT)
                    self.next_start = time.monotonic() + pause
                    self.failed_starts = min(self.failed_starts + 1, 10)
                    self.changed.notify()
                else:
                    self.failed_starts = 0
        return worker

    def put_back(self, worker):
        with self.changed:
            self.idle.append(worker)
            self.changed.notify_all() if self.is_closed else self.changed.notify()

    def drop(self, worker):
        worker.kill()
        with self.changed:
            self.count -= 1
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
        """Answers what is under way, then ends the workers."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
            while len(self.idle) < self.count:
                self.changed.wait()
            idle, self.idle = self.idle, []
            self.count = 0
        for worker in idle:
            worker.close()
        self.starter.end()

    def after_fork(self):
        """In a forked child: the workers are the parent's. Their pipes are given up in `programs.py`."""
        was_closed = self.is_closed
        self.begin()
        self.is_closed = was_closed


def size():
    """How many workers: TIERUP_WORKERS, or the processors that this process may use."""
    asked = os.environ.get("TIERUP_WORKERS", "")
    if asked == "":
        return parallelism()
    if not asked.isascii() or not asked.isdigit() or int(asked) < 1:
        raise ValueError(f"TIERUP_WORKERS is a number from 1 on, not {asked}")
    return int(asked)


def load(context):
    return Pool(context, size())

# Made by tierup; the same in every package.
"""`1:spawn`: each call runs the program anew, with the arguments on its standard input."""

import subprocess
import threading

from ..answers import read_answer
from ..errors import TransportError
from ..forks import renew_after_fork
from ..limits import GRACE_OF_CALLERS, Limits, closed_before, left
from ..parallelism import parallelism
from ..programs import ending, give_up, program, start
from .ways import InQueue


class Spawn(InQueue):
    def __init__(self, context):
        self.functions = context.functions
        self.abi = context.abi
        self.limits = Limits()
        self.path = program(context)
        self.is_closed = False
        self.is_given_up = False
        self.after_fork()
        renew_after_fork(self)

    def after_fork(self):
        # More at once would only wait for processors, and each takes file descriptors.
        most = 4 * parallelism()
        self.places = threading.Semaphore(most)
        # A signal's handler may make calls.
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        # How many calls have a place or wait for one, and how many wait.
        self.calls = 0
        self.waiting = 0
        self.processes = set()
        self.begin_threads(most)

    def call_by(self, deadline, is_admitted, number, args):
        function = self.functions[number]
        arguments = function.encoded(args)
        with self.lock:
            if self.is_closed:
                raise TransportError("the pool is closed")
            self.calls += 1
        try:
            self.take_place(deadline, is_admitted)
            try:
                answer = self.run(number, arguments, deadline)
            finally:
                self.places.release()
        finally:
            with self.lock:
                self.calls -= 1
                self.changed.notify_all()
        return read_answer(function, answer)

    def take_place(self, deadline, is_admitted):
        if left(deadline) == 0:
            raise self.limits.waited_too_long()
        if self.places.acquire(blocking=False):
            return
        with self.lock:
            if not is_admitted and self.waiting >= self.limits.most_waiting:
                raise self.limits.too_many()
            self.waiting += 1
        try:
            is_taken = self.places.acquire(timeout=left(deadline))
        finally:
            with self.lock:
                self.waiting -= 1
        if not is_taken:
            raise self.limits.waited_too_long()

    def run(self, number, arguments, deadline):
        if self.is_given_up:
            raise closed_before()
        process = start(self.path, "--tierup-call", str(number), self.abi)
        try:
            with self.lock:
                self.processes.add(process)
                if self.is_given_up:
                    process.kill()
            # If the program ends before it has read all arguments, its exit code says why.
            answer, _ = process.communicate(arguments, left(deadline))
        except subprocess.TimeoutExpired:
            answer = None
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            with self.lock:
                self.processes.discard(process)
        if answer is None:
            process.kill()
            process.wait()
            give_up(process)
            raise self.limits.took_too_long(": its process was ended")
        if process.returncode != 0:
            raise closed_before() if self.is_given_up else ending(self.path, process.returncode)
        return answer

    def ready(self):
        pass

    def close(self):
        """Waits for the calls that were made, gives them up if they take too long, and ends their processes."""
        with self.lock:
            self.is_closed = True
            self.changed.wait_for(lambda: self.calls < 1, self.limits.grace)
            self.is_given_up = True
            for process in self.processes:
                process.kill()
            self.changed.wait_for(lambda: self.calls < 1, GRACE_OF_CALLERS)
        self.end_threads()


def load(context):
    return Spawn(context)

# Made by tierup; the same in every package.
"""`1:spawn`: each call runs the program anew, with the arguments on its standard input."""

import subprocess
import threading

from ..answers import read_answer
from ..forks import renew_after_fork
from ..limits import Limits, left
from ..parallelism import parallelism
from ..programs import ending, give_up, program, start
from .ways import InQueue


class Spawn(InQueue):
    def __init__(self, context):
        self.functions = context.functions
        self.abi = context.abi
        self.limits = Limits()
        self.path = program(context)
        self.after_fork()
        renew_after_fork(self)

    def after_fork(self):
        # More at once would only wait for processors, and each takes file descriptors.
        most = 4 * parallelism()
        self.places = threading.Semaphore(most)
        self.lock = threading.Lock()
        # How many calls wait for a place.
        self.waiting = 0
        self.begin_threads(most)

    def call_by(self, deadline, is_admitted, number, args):
        function = self.functions[number]
        arguments = function.encoded(args)
        self.take_place(deadline, is_admitted)
        try:
            answer = self.run(number, arguments, deadline)
        finally:
            self.places.release()
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
        process = start(self.path, "--tierup-call", str(number), self.abi)
        try:
            # If the program ends before it has read all arguments, its exit code says why.
            answer, _ = process.communicate(arguments, left(deadline))
        except subprocess.TimeoutExpired:
            answer = None
        except BaseException:
            process.kill()
            process.wait()
            raise
        if answer is None:
            process.kill()
            process.wait()
            give_up(process)
            raise self.limits.took_too_long(": its process was ended")
        if process.returncode != 0:
            raise ending(self.path, process.returncode)
        return answer

    def ready(self):
        pass

    def close(self):
        self.end_threads()


def load(context):
    return Spawn(context)

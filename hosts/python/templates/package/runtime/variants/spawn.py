# Made by tierup; the same in every package.
"""`1:spawn`: the program is run anew for each call, with the arguments on its standard input."""

import threading

from ..answers import read_answer
from ..forks import renew_after_fork
from ..parallelism import parallelism
from ..programs import ending, program, start
from .ways import InThread


class Spawn(InThread):
    def __init__(self, context):
        self.functions = context.functions
        self.abi = context.abi
        self.path = program(context)
        self.after_fork()
        renew_after_fork(self)

    def after_fork(self):
        # More at once would only wait for processors, and each takes file descriptors.
        self.places = threading.Semaphore(4 * parallelism())

    def call(self, number, *args):
        function = self.functions[number]
        arguments = function.encoded(args)
        with self.places:
            answer = self.run(number, arguments)
        return read_answer(function, answer)

    def run(self, number, arguments):
        process = start(self.path, "--tierup-call", str(number), self.abi)
        try:
            # A program that ends before it has read everything tells by its exit code why.
            answer, _ = process.communicate(arguments)
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode != 0:
            raise ending(self.path, process.returncode)
        return answer

    def ready(self):
        pass

    def close(self):
        pass


def load(context):
    return Spawn(context)

# Made by tierup; the same in every package.
"""`0:workers`: the server's own functions in processes of the same Python, one for each processor or TIERUP_WORKERS.

They are processes of `1:pool` with the same limits but another program. Everything is pickled, so arguments, answers
and errors are those of tier 0. A process imports each function by its module's name.
"""

import base64
import inspect
import json
import pickle
import select
import sys
from pathlib import Path

from ..errors import TransportError, Unavailable
from ..keys import key_of
from ..limits import Limits
from ..programs import give_up, start
from .baseline import Baseline
from .pool import Pool, size

OK = 0


class NotPicklable(Exception):
    """The arguments cannot be sent to another process."""


class Processes:
    """Starts a process for each worker."""

    def __init__(self, line, limits):
        self.line = line
        self.path = line[0]
        self.patience = limits.start
        self.after_fork()

    def after_fork(self):
        # Processes that are still starting although their calls are over.
        self.left = []

    def connect(self, _deadline):
        return None, self.left.pop() if self.left else start(*self.line)

    def end(self):
        for process in self.left:
            process.kill()
            process.wait()
            give_up(process)


class Workers(Pool):
    def __init__(self, context, size, limits, baseline, is_there, line):
        self.own = Baseline(context.functions, baseline)
        # Whether the processes have a function, by its number.
        self.is_there = is_there
        super().__init__(context, size, limits, Processes(line, limits))

    def call(self, number, *args):
        # As at tier 0, this refuses an asynchronous function.
        if self.is_own(number, args) or inspect.iscoroutinefunction(self.own.baseline[number]):
            return self.own.call(number, *args)
        try:
            return super().call(number, *args)
        except NotPicklable:
            return self.own.call(number, *args)

    async def call_async(self, number, *args):
        if self.is_own(number, args):
            return await self.own.call_async(number, *args)
        try:
            return await super().call_async(number, *args)
        except NotPicklable:
            return await self.own.call_async(number, *args)

    def is_own(self, number, args):
        """Whether this process makes the call: the others lack the function, or Rust would refuse the arguments, which
        need not be picklable."""
        return not self.is_there[number] or key_of(self.functions, number, args) is None

    def encoded(self, number, args, head):
        try:
            return bytearray(head) + pickle.dumps(args)
        except Exception as error:
            # One example is a text of a class that is local to a function.
            raise NotPicklable from error

    def answer(self, number, data):
        try:
            content = pickle.loads(memoryview(data)[1:])
        except Exception as error:
            raise TransportError(f"cannot read the answer of a worker: {error}") from error
        if data[0] != OK:
            raise content
        return content


def reference(function):
    """The function by its module's name, for another process. Raises if that could not find it."""
    if getattr(function, "__module__", None) == "__main__":
        raise ValueError("it is in the script that was started, which the other processes cannot import")
    return pickle.dumps(function)


def load(context, baseline):
    references, why = [], ""
    for function in baseline:
        if getattr(function, "is_missing", False):
            references.append(None)
            continue
        try:
            references.append(base64.b64encode(reference(function)).decode())
        except Exception as error:
            references.append(None)
            why = why or str(error)
    if not any(references):
        raise Unavailable(
            f"{context.package} cannot run at tier 0:workers: {why}: put the function into a module of its own"
        )
    if not hasattr(select, "poll"):
        raise Unavailable(f"{context.package} cannot run at tier 0:workers: it needs a system that has poll")
    package = __name__.partition(".")[0]
    # The processes find modules where this process finds them, however it was started.
    settings = {"path": [str(Path(entry).absolute()) for entry in sys.path], "abi": context.abi, "functions": references}
    # A module that binds the package itself gets its own functions, not further processes.
    program = "import json, os, sys\nos.environ['TIERUP_TIER'] = '0'\nsettings = json.loads(sys.argv[1])\nsys.path[:] = settings['path']\n"
    program += f"from {package}._tierup.own_worker import main\nmain(settings)"
    line = (sys.executable, "-c", program, json.dumps(settings))
    return Workers(context, size(), Limits(), baseline, [entry is not None for entry in references], line)

# Made by tierup; the same for every project.
"""Makes calls on request. File descriptor 3 carries requests, 4 answers, both as length-prefixed frames.

Calls use the package's public functions, so they take the same path as a server's calls.
"""

import importlib
import os
import struct
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE)

from project import BASELINES, ENVIRONMENTS, FOLDER, MODULE  # noqa: E402

REQUESTS = 3
ANSWERS = 4

OK = 0
ERROR = 1
PANIC = 2
REFUSED = 3
LOST = 4


def go_on_in_environment():
    """Restarts this program in the server's environment, which has the modules that it needs."""
    for name in ENVIRONMENTS:
        environment = Path(FOLDER) / name
        python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if (environment / "pyvenv.cfg").exists() and python.exists():
            if Path(sys.prefix).resolve() != environment.resolve():
                os.execv(python, [str(python), *sys.argv])
            return


class Failure(Exception):
    """An answer other than a value."""

    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome
        self.message = message


class Driver:
    def __init__(self):
        self.package = importlib.import_module(MODULE)
        self.functions = importlib.import_module(f"{MODULE}._interface").FUNCTIONS
        self.wire = importlib.import_module(f"{MODULE}._tierup.wire")
        self.mismatch = importlib.import_module(f"{MODULE}._tierup.checks").Mismatch
        # The package, bound to each tier requested so far.
        self.bindings = {}

    def serve(self):
        while True:
            header = read_exactly(4)
            if header is None:
                return
            request = read_exactly(struct.unpack("<I", header)[0])
            if request is None:
                return
            try:
                write(self.answer_to(request))
            except BrokenPipeError:
                # Nobody reads the answers any more: tierup may have ended.
                return

    def answer_to(self, request):
        source = self.wire.Reader(request)
        row, number, repeat, encoded = source.text(), source.count(), source.count(), source.bytes()
        try:
            if row == "together":
                return frame(OK, 0, self.together(self.wire.Reader(encoded)))
            if row.startswith("close "):
                return frame(OK, 0, self.close(row[len("close ") :], repeat))
            nanoseconds, value = self.call(row, self.functions[number], repeat, encoded)
        except Failure as failure:
            return frame(failure.outcome, 0, failure.message.encode("utf-8", "backslashreplace"))
        except Exception:
            return frame(LOST, 0, traceback.format_exc().encode("utf-8", "backslashreplace"))
        return frame(OK, nanoseconds, value)

    def together(self, source):
        """The answers to requests that are made at the same time."""
        requests = [source.bytes() for _ in range(source.count())]
        with ThreadPoolExecutor(len(requests)) as threads:
            return b"".join(threads.map(self.answer_to, requests))

    def close(self, row, milliseconds):
        """Waits, closes a row's binding, and returns its metrics."""
        binding = self.binding_of(row)
        time.sleep(milliseconds / 1000)
        binding.close()
        return "".join(f"{name}={value}\n" for name, value in binding.metrics()._asdict().items()).encode()

    def call(self, row, function, repeat, encoded):
        args = function.read_arguments(self.wire.Reader(encoded))
        bound = getattr(self.binding_of(row), function.name)
        try:
            start = time.perf_counter_ns()
            for _ in range(repeat):
                value = bound(*args)
            nanoseconds = time.perf_counter_ns() - start
        except Exception as error:
            raise Failure(self.outcome_of(row, error), str(error)) from None
        writer = self.wire.Writer()
        try:
            function.write_output(writer, value)
        except self.mismatch as mismatch:
            # Only a baseline can return a value that does not fit the signature.
            raise Failure(LOST, str(mismatch.refusal("answer"))) from None
        return nanoseconds, bytes(writer.buffer)

    def outcome_of(self, row, error):
        if isinstance(error, self.package.Unavailable):
            return LOST
        # Any other exception of a baseline is its own error.
        if is_baseline(row) or isinstance(error, self.package.CallError):
            return ERROR
        if isinstance(error, self.package.PanicError):
            return PANIC
        return REFUSED if isinstance(error, (TypeError, ValueError, OverflowError)) else LOST

    def binding_of(self, row):
        """The package at one tier, loaded at the first request."""
        if row not in self.bindings:
            try:
                binding = self.package.bind(tier=row, **baseline_options(row))
                # The start must not count as part of a call.
                binding.ready()
            except Exception as error:
                raise Failure(LOST, str(error)) from None
            self.bindings[row] = binding
        return self.bindings[row]


def is_baseline(row):
    return row == "0" or row.startswith("0:")


def baseline_options(row):
    if not is_baseline(row):
        return {}
    label = "" if row[2:] in ("free", "memo", "workers") else row[2:]
    name = BASELINES.get(label)
    if name is None:
        return {}
    return {"baseline": name} if label == "" else {"baselines": {label: name}}


def read_exactly(length):
    """This many bytes of the requests; None at their end."""
    content = bytearray()
    while len(content) < length:
        part = os.read(REQUESTS, length - len(content))
        if not part:
            return None
        content += part
    return bytes(content)


def frame(outcome, nanoseconds, content):
    return struct.pack("<IBQI", 13 + len(content), outcome, nanoseconds, len(content)) + content


def write(content):
    left = memoryview(content)
    while left:
        left = left[os.write(ANSWERS, left) :]


if __name__ == "__main__":
    go_on_in_environment()
    # Processes started by calls must not inherit these descriptors.
    os.set_inheritable(REQUESTS, False)
    os.set_inheritable(ANSWERS, False)
    # Modules are found as in the server. The package is found even if it is not installed.
    sys.path[0:1] = [FOLDER, str(HERE.parent / "src")]
    Driver().serve()
    sys.stdout.flush()
    # This also ends the workers of a pool.
    os._exit(0)

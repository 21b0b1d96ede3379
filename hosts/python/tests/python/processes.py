"""A program in Python that does what the real one would, and what it never should; and tests of calls that it answers."""

import sys
import unittest

from conformance._interface import FUNCTIONS
from fixture import Package, built

ECHO_TEXT = next(number for number, function in enumerate(FUNCTIONS) if function.name == "echo_text")

# A worker: `echo_text` gives its argument back, some words are orders; any other function answers `True`.
PROGRAM = f"""#!{sys.executable}
import os, signal, struct, sys, time
mode, *rest = sys.argv[1:]
# before
def answer(number, args):
    if number != {ECHO_TEXT}: return b"\\0\\1"
    text = args[4:].decode()
    if text == "exit": print("last words", file=sys.stderr); sys.exit(7)
    if text == "kill": os.kill(os.getpid(), signal.SIGKILL)
    if text == "hang": time.sleep(3600)
    if text == "slow": time.sleep(0.3)
    if text == "error": return b"\\1\\2\\0\\0\\0no"
    if text == "panic": return b"\\2\\2\\0\\0\\0no"
    if text == "garbage": return b"\\x09"
    if text == "twice": os.write(1, b"\\1\\0\\0\\0\\0")
    if text == "pid": args = struct.pack("<I", len(str(os.getpid()))) + str(os.getpid()).encode()
    return b"\\0" + args
out, source = sys.stdout.buffer, sys.stdin.buffer
if mode == "--tierup-call":
    out.write(answer(int(rest[0]), source.read()))
else:
    out.write(struct.pack("<Q", int(rest[0], 16))); out.flush()
    while True:
        header = source.read(8)
        if len(header) < 8: break
        length, number = struct.unpack("<II", header)
        body = answer(number, source.read(length - 4))
        out.write(struct.pack("<I", len(body)) + body); out.flush()
"""

BOTH = built("1:spawn", "1:pool")

HELP = """
def outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


@unittest.skipIf(sys.platform == "win32", "programs are scripts here")
class ProcessTest(unittest.TestCase):
    """Runs code with the package in a process of its own."""

    @classmethod
    def setUpClass(cls):
        cls.package = Package(BOTH, program=PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.package.close()

    def check(self, code, *lines, package=None, **environment):
        said, _ = (package or self.package).run(HELP + code, **environment)
        self.assertEqual(len(said.splitlines()), len(lines), said)
        for line, expected in zip(said.splitlines(), lines):
            self.assertRegex(line, expected)

"""A Python program that does what the real one would, and what it never should; and tests of calls that it answers."""

import sys
import unittest

from conformance._interface import FUNCTIONS
from fixture import Package, built

ECHO_TEXT = next(number for number, function in enumerate(FUNCTIONS) if function.name == "echo_text")

# A program: `echo_text` returns its argument, some words are commands; any other function returns `True`.
PROGRAM = f"""#!{sys.executable}
import os, signal, struct, sys, time
_, *rest = sys.argv[1:]
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
    if text == "pid": args = struct.pack("<I", len(str(os.getpid()))) + str(os.getpid()).encode()
    return b"\\0" + args
sys.stdout.buffer.write(answer(int(rest[0]), sys.stdin.buffer.read()))
"""

SPAWN = built("1:spawn")

# `bound(tier)` is the package at `1:spawn` or `0:workers`, where the functions of `orders.py` run.
HELP = """
import orders
def bound(tier): return bind(tier=tier, baseline=orders)
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
        cls.package = Package(SPAWN, program=PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.package.close()

    def check(self, code, *lines, package=None, **environment):
        said, _ = (package or self.package).run(HELP + code, **environment)
        self.assertEqual(len(said.splitlines()), len(lines), said)
        for line, expected in zip(said.splitlines(), lines):
            self.assertRegex(line, expected)

# Made by tierup; the same in every package.
"""Calls every built variant with edge values of each type. All must answer alike.

`python -m unittest discover` in this folder, with the interpreter of the server that has the package.
"""

import time
import unittest

from edge_values import EdgeValues
from interface import FUNCTIONS
from project import package

# The fastest first: it is the one that the others are compared with, and that tells when to stop climbing.
VARIANTS = ["3:native", "2:core", "3:async", "1:pool", "1:spawn"]

# A call that takes longer than this in seconds, or whose answer is longer, is the last of its ladder.
LONG = 0.01
LARGE = 1 << 16


class Variants(unittest.TestCase):
    maxDiff = 1000

    @classmethod
    def setUpClass(cls):
        cls.bindings = []
        for tier in VARIANTS:
            try:
                cls.bindings.append(package.bind(tier=tier))
            except package.Unavailable as error:
                print(f"left out: {error}")
        if not cls.bindings:
            raise unittest.SkipTest("nothing was built: run `tierup build` first")

    @classmethod
    def tearDownClass(cls):
        for binding in cls.bindings:
            binding.close()

    def climb(self, name, ladder):
        first, *others = self.bindings
        for args in ladder:
            start = time.monotonic()
            expected = outcome(first, name, args)
            is_last = time.monotonic() - start > LONG or len(expected) > LARGE
            if outcome(first, name, args) != expected:
                return  # It does not answer twice alike: its answers are nothing to compare.
            for binding in others:
                found = outcome(binding, name, args)
                if found != expected:
                    shown = repr(args)[:300]
                    self.fail(f"{name}{shown}: {found[:300]} at {binding.tier}, {expected[:300]} at {first.tier}")
            if is_last:
                return


def outcome(binding, name, args):
    """How a call ends, in a form that can be compared: NaN is like NaN there, and -0 is not 0."""
    try:
        return repr(getattr(binding, name)(*args))
    except package.PanicError:
        # Its words may name another place where the code was compiled differently.
        return "PanicError"
    except Exception as error:
        return repr(error)


def test_of(name, types):
    def test(self):
        for ladder in EdgeValues(package).ladders_of_arguments(types):
            with self.subTest(name):
                self.climb(name, ladder)

    return test


for _name, _types in FUNCTIONS:
    setattr(Variants, f"test_{_name}", test_of(_name, _types))

if __name__ == "__main__":
    unittest.main()

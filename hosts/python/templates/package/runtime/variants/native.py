# Made by tierup; the same in every package.
"""`3:native`: an extension module. Functions of only text and bytes get them unencoded.

The interpreter's lock is not held while Rust runs.
"""

import importlib

from ..answers import read_answer
from ..built import FOLDER, check_abi, command
from ..errors import Unavailable
from .ways import Plain


class Native(Plain):
    def __init__(self, context, extension):
        self.functions = context.functions
        self.extension = extension

    def bound(self, counters):
        functions = self.extension.Functions()
        counters.counts_in_rust = functions.counts
        made = enumerate(self.functions)
        calls = [made_call(functions, self.extension.call, counters, number, function) for number, function in made]
        return calls, self.awaited(calls)

    def awaited(self, calls):
        async def call_async(number, *args):
            return calls[number](*args)

        return call_async

    def ready(self):
        pass

    def close(self):
        pass


def made_call(functions, call, counters, number, function):
    """The callable for a function."""
    if function.direct is not None:
        # It checks its arguments, raises the package's errors and counts itself, so it is called directly.
        return getattr(functions, f"direct_{number}")
    begin, failed = counters.counts["calls"].__next__, counters.failed

    # This replaces `counters.counted`: a further function call would cost time.
    def encoded(*args):
        begin()
        try:
            return read_answer(function, call(number, bytes(function.encoded(args))))
        except Exception as error:
            failed(error)
            raise

    return encoded


def extension(context):
    """The extension module."""
    package = __name__.partition(".")[0]
    try:
        module = importlib.import_module(f"{package}._native")
    except ModuleNotFoundError as error:
        if error.name != f"{package}._native":
            raise
        message = f"_native is missing in {FOLDER}: run `{command(context.variant)}`"
        raise Unavailable(message) from None
    check_abi(module.abi())
    return module


def load(context):
    return Native(context, extension(context))

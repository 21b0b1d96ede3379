# Made by tierup; the same in every package.
"""`3:native`: an extension module. Text and bytes go as they are where a function has nothing else.

The interpreter's lock is not held while Rust runs.
"""

import importlib

from ..answers import failure_of, read_answer
from ..built import FOLDER, check_abi, command
from ..checks import Mismatch, bytes_of
from ..errors import Unavailable
from .ways import AtOnce


class Native(AtOnce):
    def __init__(self, context, extension):
        self.functions = context.functions
        self.extension = extension
        self.calls = [self.call_of(number, function) for number, function in enumerate(context.functions)]

    def call(self, number, args):
        return self.calls[number](args)

    def call_of(self, number, function):
        if function.direct is None:
            return self.encoded_call(number, function)
        return self.direct_call(getattr(self.extension, f"direct_{number}"), function)

    def encoded_call(self, number, function):
        call = self.extension.call

        def encoded(args):
            return read_answer(function, call(number, bytes(function.encoded(args))))

        return encoded

    def direct_call(self, exported, function):
        failed = self.extension.Failed
        def direct(args):
            try:
                return exported(*args)
            except failed as error:
                failure = failure_of(*error.args, function)
            except TypeError:
                failure = None
            if failure is None:
                return with_copies(args)
            raise failure

        def with_copies(args):
            """Rust relies on what it is lent: bytes that somebody may change meanwhile are copied."""
            try:
                return exported(*[arg if is_text else bytes_of(arg) for arg, is_text in zip(args, function.direct)])
            except failed as error:
                failure = failure_of(*error.args, function)
            except (Mismatch, TypeError):
                failure = None
            if failure is None:
                # The same words as at every other variant.
                function.encoded(args)
                raise TypeError(f"{function.name} cannot be called with these arguments")
            raise failure

        return direct

    def ready(self):
        pass

    def close(self):
        pass


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

# Made by tierup; the same in every package.
"""`3:native`: an extension module. If a function has only text and bytes, they are passed as they are.

The interpreter's lock is not held while Rust runs.
"""

import importlib

from ..answers import read_answer
from ..built import FOLDER, check_abi, command
from ..errors import Unavailable
from .ways import AtOnce


class Native(AtOnce):
    def __init__(self, context, extension):
        self.calls = [made_call(extension, number, function) for number, function in enumerate(context.functions)]

    def call_of(self, number):
        return self.calls[number]

    def call(self, number, *args):
        return self.calls[number](*args)

    def ready(self):
        pass

    def close(self):
        pass


def made_call(extension, number, function):
    """The callable for a function."""
    if function.direct is not None:
        # It checks its arguments and raises the package's errors itself, so that it can be called directly.
        return getattr(extension, f"direct_{number}")
    call = extension.call

    def encoded(*args):
        return read_answer(function, call(number, bytes(function.encoded(args))))

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

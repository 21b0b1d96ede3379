# Made by tierup; the same in every package.
"""`3:async`: the extension module in a thread where a call is awaited, so that a long one does not hold up the event loop.
A call that is not awaited is that of `3:native`."""

from .native import Native, extension
from .ways import InThread


class Threaded(InThread, Native):
    pass


def load(context):
    return Threaded(context, extension(context))

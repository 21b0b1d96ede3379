# Made by tierup; the same in every package.
"""`3:async`: the extension module. An awaited call runs in a thread, so that it cannot block the event loop. A call
that is not awaited runs as at `3:native`."""

import asyncio

from ..forks import renew_after_fork
from ..parallelism import parallelism
from .native import Native, extension
from .ways import InThread


class Threaded(InThread, Native):
    def __init__(self, context, extension):
        super().__init__(context, extension)
        self.after_fork()
        renew_after_fork(self)

    def after_fork(self):
        # asyncio has as many threads of its own.
        self.begin_threads(min(32, parallelism() + 4))

    def awaited(self, calls):
        async def call_async(number, *args):
            return await asyncio.wrap_future(self.submit(calls[number], *args))

        return call_async

    def close(self):
        self.end_threads()


def load(context):
    return Threaded(context, extension(context))

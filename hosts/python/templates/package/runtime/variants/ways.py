# Made by tierup; the same in every package.
"""How a variant's `call` is made: by whoever waits for it, and, where it is awaited, at once or in a thread."""

import asyncio
from functools import partial


class Plain:
    def call_of(self, number):
        # No function of Python's own stands between.
        return partial(self.call, number)


class AtOnce(Plain):
    """Where the event loop is: for calls that are over sooner than a thread would have begun."""

    async def call_async(self, number, *args):
        return self.call(number, *args)


class InThread(Plain):
    """Beside the event loop, in one of its threads."""

    async def call_async(self, number, *args):
        return await asyncio.to_thread(self.call, number, *args)

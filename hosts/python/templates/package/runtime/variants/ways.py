# Made by tierup; the same in every package.
"""How a call that is awaited is made: at once, or in a thread."""

import asyncio


class AtOnce:
    """Where the event loop is: for calls that are over sooner than a thread would have begun."""

    async def call_async(self, number, args):
        return self.call(number, args)


class InThread:
    """Beside the event loop, in one of its threads."""

    async def call_async(self, number, args):
        return await asyncio.to_thread(self.call, number, args)

# Made by tierup; the same in every package.
"""`0` and `0:LABEL`: the server's own functions. Arguments, answers and errors pass as they are."""

import asyncio
import inspect
from types import CoroutineType

from .ways import Plain


class Baseline(Plain):
    def __init__(self, functions, baseline):
        self.functions = functions
        # Functions by the number of the function that each replaces.
        self.baseline = baseline

    def bound(self, counters):
        calls = [self.counted(counters, number) for number in range(len(self.functions))]
        return calls, counters.counted_async(self.call_async)

    def counted(self, counters, number):
        """A faster `counters.counted`: a further function call would cost time."""
        begin, failed = counters.counts["calls"].__next__, counters.failed
        function = self.baseline[number]

        def counted(*args):
            begin()
            try:
                answer = function(*args)
            except Exception as error:
                failed(error)
                raise
            return self.refused(number, answer) if isinstance(answer, CoroutineType) else answer

        return counted

    def call(self, number, *args):
        answer = self.baseline[number](*args)
        return self.refused(number, answer) if isinstance(answer, CoroutineType) else answer

    def refused(self, number, coroutine):
        coroutine.close()
        name = self.functions[number].name
        raise RuntimeError(f"the baseline of {name} is asynchronous: await {name}_async() instead of {name}()")

    async def call_async(self, number, *args):
        function = self.baseline[number]
        if inspect.iscoroutinefunction(function):
            return await function(*args)
        answer = await asyncio.to_thread(function, *args)
        return await answer if inspect.isawaitable(answer) else answer

    def ready(self):
        pass

    def close(self):
        pass


def load(context, baseline):
    return Baseline(context.functions, baseline)

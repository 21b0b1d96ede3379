# Made by tierup; the same in every package.
"""`0` and `0:LABEL`: the server's own functions. Arguments, answers and errors pass as they are."""

import asyncio
import inspect

from .ways import Plain


class Baseline(Plain):
    def __init__(self, functions, baseline):
        self.functions = functions
        # By the number of the function that each one replaces.
        self.baseline = baseline

    def call(self, number, *args):
        answer = self.baseline[number](*args)
        if inspect.iscoroutine(answer):
            answer.close()
            name = self.functions[number].name
            raise RuntimeError(f"the baseline of {name} is asynchronous: await {name}_async() instead of {name}()")
        return answer

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

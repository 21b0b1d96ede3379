# Made by tierup; the same in every package.
"""How a binding's calls have ended: `metrics()`."""

from itertools import count
from typing import NamedTuple

from .._interface import ABI, PACKAGE
from .errors import CallError, CallTimeoutError, PanicError, TransportError

# How failed calls are counted.
KINDS = {CallError: "errors", PanicError: "panics", CallTimeoutError: "timeouts", TransportError: "lost"}


class Metrics(NamedTuple):
    """What runs and why, and how one binding's calls in this process have ended since it was bound. A forked child
    continues its parent's numbers."""

    package: str
    tier: str
    asked: str
    instead: str
    abi: str
    calls: int
    errors: int
    panics: int
    timeouts: int
    lost: int


# Users import it from the package itself.
Metrics.__module__ = __name__.partition(".")[0]


class Counters:
    def __init__(self, tier):
        # At tier 0 any other error is the server's own; elsewhere it means refused arguments.
        self.others = "errors" if tier.startswith("0") else None
        # Any thread, and a forked child, can take the next number without a lock.
        self.counts = {kind: count() for kind in ("calls", *KINDS.values())}
        # The extension module counts calls that go to it directly.
        self.counts_in_rust = lambda: (0, 0, 0)

    def failed(self, error):
        kind = KINDS.get(type(error), self.others)
        if kind is not None:
            next(self.counts[kind])

    def counted(self, call, number):
        """The callable for a function. `call` takes its number and its arguments."""
        begin, failed = self.counts["calls"].__next__, self.failed

        def counted(*args):
            begin()
            try:
                return call(number, *args)
            except Exception as error:
                failed(error)
                raise

        return counted

    def counted_async(self, call):
        """The same for a coroutine, which takes the number as well."""
        begin, failed = self.counts["calls"].__next__, self.failed

        async def counted(number, *args):
            begin()
            try:
                return await call(number, *args)
            except Exception as error:
                failed(error)
                raise

        return counted

    def read(self, chosen):
        # The representation `count(7)` contains the next number.
        own = [int(repr(counter)[6:-1]) for counter in self.counts.values()]
        in_rust = (*self.counts_in_rust(), 0, 0)
        return Metrics(PACKAGE, chosen.tier, chosen.asked, chosen.instead, ABI, *map(sum, zip(own, in_rust)))

# Made by tierup; the same in every package.
"""What a binding's calls came to: `metrics()`."""

from itertools import count
from typing import NamedTuple

from .._interface import ABI, PACKAGE
from .errors import CallError, CallTimeoutError, PanicError, TransportError

# What a failed call counts as.
KINDS = {CallError: "errors", PanicError: "panics", CallTimeoutError: "timeouts", TransportError: "lost"}


class Metrics(NamedTuple):
    """What runs and why, and what became of the calls of one binding in this process, since it was bound. A forked child
    goes on from its parent's numbers."""

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


# People import it from the package itself.
Metrics.__module__ = __name__.partition(".")[0]


class Counters:
    def __init__(self, tier):
        # Any other error at tier 0 is the server's own; elsewhere the arguments were refused.
        self.others = "errors" if tier.startswith("0") else None
        # Any thread, and a forked child, can take the next number without a lock.
        self.counts = {kind: count() for kind in ("calls", *KINDS.values())}
        # Calls that go to Rust directly are counted there.
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
        """The same for a coroutine that takes the number, too."""
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
        # `count(7)`: the next number.
        own = [int(repr(counter)[6:-1]) for counter in self.counts.values()]
        in_rust = (*self.counts_in_rust(), 0, 0)
        return Metrics(PACKAGE, chosen.tier, chosen.asked, chosen.instead, ABI, *map(sum, zip(own, in_rust)))

# Made by tierup; the same in every package.
"""The functions bound to a tier. A server's calls are the same at every tier."""

import threading

from .._functions import Functions
from .errors import HealthError
from .health import check_answer, golden_call, where
from .metrics import Counters
from .tiers import choose


class Binding(Functions):
    """The functions at one tier. `bind` returns it."""

    def __init__(self, chosen):
        self._tierup_chosen = chosen
        self._tierup_variant = chosen.variant
        # Looked up once, so that each method calls its variant directly.
        self._tierup_counters = Counters(chosen.tier)
        self._tierup_calls, self._tierup_call_async = chosen.variant.bound(self._tierup_counters)
        self._tierup_lock = threading.Lock()
        self._tierup_is_open = True

    @property
    def tier(self):
        """The tier that runs, e.g. `3:native`."""
        return self._tierup_chosen.tier

    def ready(self):
        """Returns once calls are answered at full speed: workers have started and modules are compiled."""
        self._tierup_variant.ready()

    def check_health(self):
        """Makes the golden call of `[health]` in `tierup.toml`. Raises if its answer is wrong."""
        number, args = golden_call()
        try:
            answer = self._tierup_calls[number](*args)
        except Exception as error:
            raise HealthError(f"{where(self.tier)} failed: {error}") from error
        check_answer(answer, self.tier)

    async def check_health_async(self):
        """The same as a coroutine."""
        number, args = golden_call()
        try:
            answer = await self._tierup_call_async(number, *args)
        except Exception as error:
            raise HealthError(f"{where(self.tier)} failed: {error}") from error
        check_answer(answer, self.tier)

    def close(self):
        """Frees what this binding uses. It waits for running calls until their time-out, or 10 seconds if there is
        none, then ends those that can be ended."""
        with self._tierup_lock:
            is_open, self._tierup_is_open = self._tierup_is_open, False
        if is_open:
            self._tierup_chosen.release()

    def metrics(self):
        """What runs and why, and how the calls have ended: a `Metrics`. It never blocks."""
        return self._tierup_counters.read(self._tierup_chosen)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<{type(self).__module__}.Binding at tier {self.tier}>"


Binding.__module__ = __name__.partition(".")[0]


def bind(*, baseline=None, baselines=None, tier=None):
    """The functions at the tier that TIERUP_TIER names, or at the best tier that was built.

    baseline: tier 0, the server's own: a function, if there is only one; a module, an object or a dict with functions
    of the same names; or where to import it from, as 'module:function' or 'module'.
    baselines: further baselines by label: 'tuned' runs as tier '0:tuned'.
    tier: the tier to run instead of the one that TIERUP_TIER names, e.g. '3:native'.

    Raises if that tier cannot run here.
    """
    return Binding(choose(baseline, baselines, tier))

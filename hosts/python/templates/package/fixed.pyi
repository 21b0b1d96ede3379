
class Binding(Functions):
    """The functions at one tier. `bind` returns it."""

    @property
    def tier(self) -> str:
        """The tier that runs, e.g. `3:native`."""
        ...
    def ready(self) -> None:
        """Returns once calls are answered at full speed: workers have started and modules are compiled."""
        ...
    def check_health(self) -> None:
        """Makes the golden call of `[health]` in `tierup.toml`. Raises if its answer is wrong."""
        ...
    async def check_health_async(self) -> None:
        """The same as a coroutine."""
        ...
    def close(self) -> None:
        """Frees what this binding uses. It waits for running calls until TIERUP_CALL_TIMEOUT, or 10 seconds if there is
        none, then ends those that can be ended."""
        ...
    def metrics(self) -> "Metrics":
        """What runs and why, and how the calls have ended. It never blocks."""
        ...
    def __enter__(self) -> "Binding": ...
    def __exit__(self, *_: object) -> None: ...

class Metrics(NamedTuple):
    """What runs and why, and how one binding's calls in this process have ended since it was bound. A forked child
    continues its parent's numbers.

    tier: the tier that runs, e.g. `3:native`.
    asked: the tier that TIERUP_TIER or the option `tier` named; empty if neither did.
    instead: why an unexpected tier runs: TIERUP_FALLBACK, or no variant is built. Otherwise empty.
    abi: the hash of the interface.
    calls: all calls, including those whose arguments were refused.
    errors: calls in which the function itself failed: CallError, or at tier 0 any exception of your own code.
    panics, timeouts: calls that ended in a PanicError, or in a CallTimeoutError.
    lost: calls that ended in any other TransportError.
    """

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

class CallError(Exception):
    """The function itself returned an error, with its message."""

class PanicError(Exception):
    """The function panicked, or a Wasm module trapped. Later calls are not affected."""

class TransportError(Exception):
    """The call or its answer was lost: a process died, or a binary is out of date."""

class CallTimeoutError(TransportError, TimeoutError):
    """The call was not answered within TIERUP_CALL_TIMEOUT."""

class Unavailable(Exception):
    """A variant cannot run here. The message says why."""

class HealthError(Exception):
    """The golden call of `[health]` in tierup.toml failed, or its answer is wrong."""

_Baseline = Union[Callable[..., Any], Mapping[str, Callable[..., Any]], object]

def bind(
    *,
    baseline: Optional[_Baseline] = None,
    baselines: Optional[Mapping[str, _Baseline]] = None,
    tier: Optional[str] = None,
) -> Binding:
    """The functions at the tier that TIERUP_TIER names, or at the best tier that was built.

    baseline: tier 0, the server's own: a function, if there is only one; a module, an object or a dict with functions
    of the same names; or where to import it from, as 'module:function' or 'module'.
    baselines: further baselines by label: 'tuned' runs as tier '0:tuned'.
    tier: the tier to run instead of the one that TIERUP_TIER names, e.g. '3:native'.

    Raises if that tier cannot run here.
    """
    ...

def ready() -> None: ...
def check_health() -> None: ...
def close() -> None: ...
def metrics() -> Metrics: ...

tier: str


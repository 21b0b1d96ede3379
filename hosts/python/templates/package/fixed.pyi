
class Binding(Functions):
    """The functions at one tier. Made by `bind`."""

    @property
    def tier(self) -> str:
        """What runs, e.g. `3:native`."""
        ...
    def ready(self) -> None:
        """Returns when calls are answered at full speed: workers started, modules compiled."""
        ...
    def check_health(self) -> None:
        """Makes the golden call of `[health]` in `tierup.toml`; raises where its answer is not right."""
        ...
    async def check_health_async(self) -> None:
        """The same, awaited."""
        ...
    def close(self) -> None:
        """Ends what runs for this binding. Calls that are under way are answered first, those that do not end are ended:
        after TIERUP_CALL_TIMEOUT, else after 10 seconds."""
        ...
    def metrics(self) -> "Metrics":
        """What runs and why, and what became of the calls. It waits for nothing."""
        ...
    def __enter__(self) -> "Binding": ...
    def __exit__(self, *_: object) -> None: ...

class Metrics(NamedTuple):
    """What runs and why, and what became of the calls of one binding in this process, since it was bound. A forked child
    goes on from its parent's numbers.

    tier: what runs, e.g. `3:native`.
    asked: what TIERUP_TIER or the option `tier` asked for; empty if neither did.
    instead: why another tier runs than the one to expect: TIERUP_FALLBACK, or no variant is built. Otherwise empty.
    abi: the hash of the interface.
    calls: all calls, also those whose arguments were refused.
    errors: calls in which the function itself failed: CallError, and at tier 0 whatever your own code raised.
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
    """The function itself answered with an error: the message is what it says."""

class PanicError(Exception):
    """The function panicked, or a Wasm module trapped. The next call is unharmed."""

class TransportError(Exception):
    """The call did not get through, or its answer did not come back."""

class CallTimeoutError(TransportError, TimeoutError):
    """The call was not answered within TIERUP_CALL_TIMEOUT."""

class Unavailable(Exception):
    """A variant that cannot be had here, and why."""

class HealthError(Exception):
    """The golden call of `[health]` in tierup.toml failed, or its answer is wrong."""

_Baseline = Union[Callable[..., Any], Mapping[str, Callable[..., Any]], object]

def bind(
    *,
    baseline: Optional[_Baseline] = None,
    baselines: Optional[Mapping[str, _Baseline]] = None,
    tier: Optional[str] = None,
) -> Binding:
    """The functions at one tier: the one that TIERUP_TIER names, or else the best that was built.

    baseline: tier 0, the server's own: a function, where there is only one; a module, an object or a dict with
        functions of the same names; or where to import it from, as 'module:function' or 'module'.
    baselines: other baselines by label: 'tuned' is run as tier '0:tuned'.
    tier: what to run instead of what TIERUP_TIER says, e.g. '3:native'.

    Raises where that tier cannot run here.
    """
    ...

def ready() -> None: ...
def check_health() -> None: ...
def close() -> None: ...
def metrics() -> Metrics: ...

tier: str


# Made by tierup; the same in every package.
"""How a call can fail, besides arguments that do not fit the signature (TypeError, ValueError, OverflowError)."""


class CallError(Exception):
    """The function itself returned an error, with its message."""


class PanicError(Exception):
    """The function panicked, or a Wasm module trapped. The next call is unharmed."""


class TransportError(Exception):
    """The call or its answer was lost: a process died, or a binary is out of date."""


class CallTimeoutError(TransportError, TimeoutError):
    """The call was not answered within TIERUP_CALL_TIMEOUT."""


class Unavailable(Exception):
    """A variant cannot run here, and why."""


class HealthError(Exception):
    """The golden call of `[health]` in tierup.toml failed, or its answer is wrong."""


# People import them from the package itself, and pickles name them so.
_PACKAGE = __name__.partition(".")[0]
for _error in (CallError, PanicError, TransportError, CallTimeoutError, Unavailable, HealthError):
    _error.__module__ = _PACKAGE

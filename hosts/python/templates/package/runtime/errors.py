# Made by tierup; the same in every package.
"""How a call can fail, beside arguments that are not what the signature says (TypeError, ValueError, OverflowError)."""


class CallError(Exception):
    """The function itself answered with an error: the message is what it says."""


class PanicError(Exception):
    """The function panicked, or a Wasm module trapped. The next call is unharmed."""


class TransportError(Exception):
    """The call did not get through, or its answer did not come back: a process died, a binary is out of date."""


class CallTimeoutError(TransportError, TimeoutError):
    """The call was not answered within TIERUP_CALL_TIMEOUT."""


class Unavailable(Exception):
    """A variant that cannot be had here, and why."""


class HealthError(Exception):
    """The golden call of `[health]` in tierup.toml failed, or its answer is wrong."""


# Where people meet them is the package itself, and so is where a pickle looks.
_PACKAGE = __name__.partition(".")[0]
for _error in (CallError, PanicError, TransportError, CallTimeoutError, Unavailable, HealthError):
    _error.__module__ = _PACKAGE

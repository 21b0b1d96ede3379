# Made by tierup; the same in every package.
"""The exceptions of calls. Arguments that do not fit the signature are a TypeError, ValueError or OverflowError."""


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


# Users import them from the package itself, and pickles use this name.
_PACKAGE = __name__.partition(".")[0]
for _error in (CallError, PanicError, TransportError, CallTimeoutError, Unavailable, HealthError):
    _error.__module__ = _PACKAGE

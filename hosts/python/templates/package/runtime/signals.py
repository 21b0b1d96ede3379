# Made by tierup; the same in every package.
"""Signals belong to the server. Its handlers may raise in a call; a thread of its own may wait for signals."""

import signal
import threading

from .errors import CallError, CallTimeoutError, PanicError, TransportError
from .shadow import TooLarge

# Signals that a thread itself causes. The server may wait for all others, so our threads must not receive those.
_OWN_SIGNALS = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS"}


def foreign_signals():
    """All signals that may be meant for another thread of the server."""
    return {one for one in signal.valid_signals() if getattr(one, "name", "") not in _OWN_SIGNALS}


def is_of_a_signal(error):
    """Whether a signal's handler raised the error, such as to limit a call's time. The call then ends with it."""
    if type(error) in (CallError, PanicError, TransportError, CallTimeoutError, TooLarge):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    try:
        codes = {_code_of(signal.getsignal(one)) for one in signal.valid_signals()}
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code not in codes:
            trace = trace.tb_next
        return trace is not None
    except RecursionError:
        return False


def _code_of(handler):
    if not callable(handler):
        return None
    return getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)

# Made by tierup; the same in every package.
"""Signals that are the server's: its handlers may raise in the middle of a call, and it may wait for them in a thread of its own."""

import signal
import threading

from .errors import CallError, CallTimeoutError, PanicError, TransportError
from .shadow import TooLarge

# Those that a thread has by its own doing. The server may wait for all others, so they must not arrive in a thread of ours.
_OWN_SIGNALS = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS"}


def foreign_signals():
    """All that may be for another thread of the server."""
    return {one for one in signal.valid_signals() if getattr(one, "name", "") not in _OWN_SIGNALS}


def is_of_a_signal(error):
    """Whether a signal's handler has raised it, as a server does to limit a call's time: then the call ends with it."""
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

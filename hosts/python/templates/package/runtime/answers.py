# Made by tierup; the same in every package.
"""An answer: one byte that says how the call ended, then the value or a message.

An error is created in its `raise` statement. A local variable would make a reference cycle with the error's own
traceback, whose frames hold the arguments. Only the garbage collector would free them, and some servers turn it off.
"""

from .errors import CallError, PanicError, TransportError
from .wire import Malformed, Reader

OK = 0
ERROR = 1
PANIC = 2
REFUSED = 3


def read_answer(function, data):
    """Returns the value in an answer, or raises its error."""
    source = Reader(data)
    try:
        tag = source.case()
        if tag == OK:
            value = function.read_output(source)
            source.finish()
            return value
        message = source.text()
        source.finish()
        kind, words = failure_of(tag, message, function)
    except Malformed as error:
        raise TransportError(f"cannot read the answer of {function.name}: {error}") from None
    raise kind(words)


def failure_of(tag, message, function):
    """The class and the message of the error for a tag."""
    if tag == ERROR:
        return CallError, message
    if tag == PANIC:
        return PanicError, message
    if tag == REFUSED:
        # Only one value passes the checks here and is refused in Rust: a size that 32-bit Wasm cannot hold.
        return OverflowError, f"{function.name}: {message}"
    raise Malformed(f"{tag} is not the first byte of an answer")

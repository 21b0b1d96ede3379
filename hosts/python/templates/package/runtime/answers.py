# Made by tierup; the same in every package.
"""An answer: one byte that tells how the call ended, then the value or a message.

An error is made where it is raised. In a local it would be in a circle with its own traceback, whose frames have the
arguments: all that would stay until the garbage collector comes by, and where that is off, for ever.
"""

from .errors import CallError, PanicError, TransportError
from .wire import Malformed, Reader

OK = 0
ERROR = 1
PANIC = 2
REFUSED = 3


def read_answer(function, data):
    """The value in an answer, or the error that it tells of, raised."""
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
    """What kind of error stands behind a tag, and its words."""
    if tag == ERROR:
        return CallError, message
    if tag == PANIC:
        return PanicError, message
    if tag == REFUSED:
        # All that passes the checks here and is refused there: a size that 32-bit Wasm cannot hold.
        return OverflowError, f"{function.name}: {message}"
    raise Malformed(f"{tag} is not the first byte of an answer")

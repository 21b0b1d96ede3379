# Made by tierup; the same in every package.
"""`[health]` of tierup.toml: a golden call, and the SHA-256 of each correct answer."""

import hashlib

from .._interface import FUNCTIONS, HEALTH, PACKAGE
from .checks import Mismatch
from .errors import HealthError
from .wire import Reader, Writer


def golden_call():
    """The function's number and the arguments."""
    if HEALTH is None:
        raise HealthError(f"{PACKAGE} has no golden call: give it a [health] in tierup.toml")
    number, arguments, _ = HEALTH
    return number, tuple(FUNCTIONS[number].read_arguments(Reader(arguments)))


def where(tier):
    """The start of an error's message."""
    return f"the golden call of {FUNCTIONS[HEALTH[0]].name} at tier {tier}"


def check_answer(answer, tier):
    """Raises if the answer is wrong."""
    number, _, right = HEALTH
    digest = _digest_of(FUNCTIONS[number], answer)
    if digest not in right:
        raise HealthError(f"{where(tier)} gave a wrong answer: its SHA-256 is {digest}, expected {' or '.join(right)}")


def _digest_of(function, answer):
    """The SHA-256 of text or bytes, or of the encoded value of any other type."""
    writer = Writer()
    try:
        function.write_output(writer, answer)
    except Mismatch as mismatch:
        raise HealthError(str(mismatch.refusal("answer"))) from None
    content = writer.buffer[4:] if function.raw else writer.buffer
    return hashlib.sha256(content).hexdigest()

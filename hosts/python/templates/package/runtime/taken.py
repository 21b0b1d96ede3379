# Made by tierup; the same in every package.
"""Calls that take part in a rollout: those that the candidate answers, and those that are compared. Nothing here raises
into a call, except what a signal's handler raises."""

from .errors import CallError, CallTimeoutError, PanicError
from .shadow import TooLarge, encoded_answer, encoded_arguments, encoded_error, words_of
from .signals import is_of_a_signal

# The kinds of a candidate's failures. The first that fits counts.
_FAILURES = (
    (CallError, "errors"),
    (PanicError, "panics"),
    (CallTimeoutError, "timeouts"),
    ((TypeError, ValueError, OverflowError), "refused"),
)


def _harmless(method):
    """Suppresses errors, such as for a full stack, and returns True instead. A signal handler's errors pass."""

    def harmless(*args):
        try:
            return method(*args)
        except Exception as error:
            if is_of_a_signal(error):
                raise
            return True

    return harmless


class Shared:
    """A call that the candidate answers, or the control if the candidate fails."""

    is_shared = True

    def __init__(self, rollout, now, function):
        self.rollout = rollout
        self.now = now
        self.function = function
        # Why the candidate refused the arguments, and whether it returned an error.
        self.refusal = None
        self.has_erred = False
        self.deaths = rollout.deaths if now.candidate.startswith("3:") else None
        rollout.count("shared")
        if self.deaths is not None:
            self.deaths.enter()

    def leave(self):
        if self.deaths is not None:
            self.deaths.leave()

    @_harmless
    def given(self):
        self.leave()
        self.rollout.ended(self.now, False)

    @_harmless
    def not_given(self, error):
        """Whether the control must answer: not if the call was cancelled, or ended by a signal."""
        self.leave()
        # The extension's own code has panicked. PyO3's class for that is not an Exception.
        is_panic = type(error).__name__ == "PanicException"
        if not is_panic and (not isinstance(error, Exception) or is_of_a_signal(error)):
            return False
        kind = "panics" if is_panic else next((kind for class_, kind in _FAILURES if isinstance(error, class_)), "lost")
        if kind == "refused":
            self.refusal = words_of(error)
        else:
            self.rollout.count(kind)
        self.has_erred = kind == "errors"
        self.rollout.ended(self.now, kind not in ("refused", "errors"))
        return True

    @_harmless
    def answered(self, _value):
        # This is not reached if the control raises, too.
        if self.refusal is not None:
            self.rollout.refuse(self.function, self.refusal)
        elif self.has_erred:
            self.rollout.count("erred")

    def failed(self, _error):
        pass


class Sample:
    """A call that is compared. Its arguments are encoded before anybody can change them."""

    is_shared = False

    def __init__(self, rollout, now, number, function, args, is_baseline):
        self.rollout = rollout
        self.now = now
        self.number = number
        self.function = function
        self.is_baseline = is_baseline
        self.args = None
        self.refusal = None
        rollout.count("sampled")
        try:
            self.args = encoded_arguments(function, args)
        except TooLarge:
            rollout.count("too_large")
        except Exception as error:
            if is_of_a_signal(error):
                raise
            self.refusal = words_of(error)

    @_harmless
    def answered(self, value):
        if self.refusal is not None:
            self.rollout.refuse(self.function, self.refusal)
        elif self.args is not None:
            self.send(lambda: encoded_answer(self.function, value))

    @_harmless
    def failed(self, error):
        if self.refusal is None and self.args is None:
            return
        is_over = not isinstance(error, Exception) or is_of_a_signal(error)
        answer = encoded_error(error, self.is_baseline) if self.refusal is None and not is_over else None
        # Arguments that both sides refuse, and a control that was lost or stopped, say nothing about the candidate.
        if answer is None:
            self.rollout.count("unsampled")
        else:
            self.send(lambda: answer)

    def send(self, encode):
        try:
            if not self.rollout.shadow.send(self.number, self.args, encode(), self.now.keeps_values):
                self.rollout.count("dropped")
        except TooLarge:
            self.rollout.count("too_large")
        except Exception as error:
            # Reading a value may run code of the server's, which may raise.
            self.rollout.count("dropped")
            if is_of_a_signal(error):
                raise

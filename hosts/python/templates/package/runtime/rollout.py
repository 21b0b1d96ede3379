# Made by tierup; the same in every package.
"""A rollout inside the process: TIERUP_ROLLOUT names a control file, which says what part of the calls is compared with a candidate
(shadow), and what part the candidate answers (share). The control, i.e. the tier that was chosen, answers all others, and all while
there is no whole control file. Only functions that tierup.toml declares pure take part.

All bindings of a process share one. A thread reads the file once a second, beside the calls. A forked child has its own.
"""

import atexit
import hashlib
import hmac
import os
import random
import secrets
import socket
import sys
import threading
import time
import weakref

from .._interface import PURE
from .deaths import Deaths
from .errors import CallError, CallTimeoutError, PanicError, Unavailable
from .forks import renew_after_fork
from .rollout_file import parse, read
from .shadow import Shadow, TooLarge, encoded, encoded_answer, encoded_error

# How long `ready()` waits for the file and for the other end, in seconds.
_PATIENCE = 5

# After so many deaths in a call of the candidate no process calls it.
_MOST_DEATHS = 2

# If more of so many calls in a row end in a panic, a time-out or a loss, the candidate gets no more.
_BLOCK, _MOST_FAILED = 100, 50

# What is said to the operator is said once, and no more than so much.
_MOST_SAID = 20

_KINDS = ("calls", "sampled", "too_large", "refused", "dropped", "shared", "errors", "panics", "timeouts", "lost")

# What a candidate's failure counts as. The first that fits.
_FAILURES = (
    (CallError, "errors"),
    (PanicError, "panics"),
    (CallTimeoutError, "timeouts"),
    ((TypeError, ValueError, OverflowError), "refused"),
)


class _InForce:
    """What the file says, with the candidate's variant; without one, nothing is shared."""

    def __init__(self, control, variant):
        self.candidate = control.candidate
        self.shadow = control.shadow
        self.share = 0 if variant is None else control.share
        self.is_by_input = control.is_by_input
        self.keeps_values = control.keeps_values
        self.key = (control.key or _own_key).encode()
        self.calls, self.call_async = (None, None) if variant is None else variant
        # The calls of the candidate since the last block ended, and those of them that failed.
        self.block = [0, 0]


# The hash's key where the file has none: an input then stays with one side as long as the process lives.
_own_key = secrets.token_hex(16)


class Rollout:
    def __init__(self, context, path, variants, variant_of):
        """`variants`: the names of those in Rust. `variant_of(candidate)`: its calls by function, its awaited call, and what releases it."""
        self.context = context
        self.path = os.path.abspath(path)
        self.folder = f"{self.path}.evidence"
        self.variants = variants
        self.variant_of = variant_of
        self.said = set()
        self.candidates = {}
        self.shadow = Shadow(context, self.folder, self.say)
        self.is_closed = False
        self.begin()
        renew_after_fork(self)
        # Only while it is there: a server may bind many times.
        atexit.register(_at_exit, weakref.ref(self))

    def begin(self):
        self.text = None
        self.in_force = None
        # The last one that was in force.
        self.candidate = None
        self.deaths = None
        self.counting = threading.Lock()
        self.counts = dict.fromkeys(_KINDS, 0)
        self.refusal = None
        self.began = time.time_ns() // 1_000_000
        self.started = threading.Event()
        self.over = threading.Event()
        threading.Thread(target=self.run, name="tierup-rollout", daemon=True).start()

    def after_fork(self):
        self.shadow.after_fork()
        if not self.is_closed:
            self.begin()

    def say(self, words):
        if words not in self.said and len(self.said) < _MOST_SAID:
            self.said.add(words)
            print(f"{self.context.package}: TIERUP_ROLLOUT: {words}", file=sys.stderr)

    def run(self):
        over = self.over
        while True:
            self.shadow.tick()
            self.read()
            if self.in_force is not None:
                self.shadow.connect()
            self.shadow.count(self.counted())
            self.started.set()
            if over.wait(1):
                return

    def read(self):
        try:
            control = parse(read(self.path))
            if control.until <= time.time():
                raise ValueError("its judge has not renewed it: `until` is over")
            # A renewal changes nothing.
            text = repr(sorted({**vars(control), "until": 0}.items()))
            if text != self.text:
                self.in_force = None
                self.obey(control)
                self.text = text
        except Exception as error:
            self.text = None
            self.in_force = None
            self.say(f"{self.path} is not obeyed, so the control answers every call: {error}")

    def obey(self, control):
        names = [function.name for number, function in enumerate(self.context.functions) if number not in PURE]
        if not PURE:
            raise ValueError("tierup.toml declares no function pure (`pure` of [function])")
        if control.candidate not in self.variants:
            raise ValueError(f"`candidate` must be a variant in Rust, such as 3:native, got {control.candidate!r}")
        if control.shadow == 0 and control.share == 0:
            return
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self.say(f"the control answers every call of {', '.join(names[:3])}{more}, which tierup.toml does not declare pure")
        variant = self.shared(control) if control.share > 0 else None
        self.candidate = control.candidate
        self.in_force = _InForce(control, variant)

    def shared(self, control):
        """The candidate that answers calls here; None if it must not."""
        candidate = control.candidate
        name = f"{candidate} {control.generation}".strip()
        # Only code in this process can end it.
        if candidate.startswith("3:") and (self.deaths is None or self.deaths.name != name):
            try:
                deaths = Deaths(self.folder, name)
                count = deaths.count()
                if count >= _MOST_DEATHS:
                    self.say(
                        f"{count} processes died in a call of {candidate} ({self.folder}/*.died), so the control answers until "
                        "`generation` is another one"
                    )
                    return None
                deaths.begin()
            except OSError as error:
                self.say(f"the control answers, as nobody would learn that a call of {candidate} ended the process: {error}")
                return None
            before, self.deaths = self.deaths, deaths
            if before is not None:
                before.end()
        if candidate not in self.candidates:
            self.candidates[candidate] = self.variant_of(candidate)
        return self.candidates[candidate][:2]

    def count(self, kind, by=1):
        with self.counting:
            self.counts[kind] += by

    def around(self, number, control, is_baseline, count):
        """A call of the control as a part of the rollout. `count`: counts one that the control is not asked for."""

        def call(*args):
            taken = self.take(number, args, is_baseline)
            if taken is None:
                return control(*args)
            if taken.is_shared:
                try:
                    answer = taken.given(taken.now.calls[number](*args))
                    count()
                    return answer
                except Exception as error:
                    taken.not_given(error)
            try:
                answer = control(*args)
            except Exception as error:
                taken.failed(error)
                raise
            taken.answered(answer)
            return answer

        return call

    def around_async(self, control, is_baseline, count):
        """The same for calls that are awaited."""

        async def call_async(number, *args):
            taken = self.take(number, args, is_baseline)
            if taken is None:
                return await control(number, *args)
            if taken.is_shared:
                try:
                    answer = taken.given(await taken.now.call_async(number, *args))
                    count()
                    return answer
                except Exception as error:
                    taken.not_given(error)
                except BaseException:
                    # It is cancelled.
                    taken.leave()
                    raise
            try:
                answer = await control(number, *args)
            except Exception as error:
                taken.failed(error)
                raise
            taken.answered(answer)
            return answer

        return call_async

    def take(self, number, args, is_baseline):
        """The call as one that the candidate answers, or that is compared; None: it is the control's alone."""
        now = self.in_force
        function = self.context.functions[number]
        # The control may read arguments that are not in the signature.
        if now is None or number not in PURE or len(args) > len(function.parameters):
            return None
        self.count("calls")
        if now.share > 0 and _is_shared(now, number, function, args):
            return _Shared(self, now, function)
        if now.shadow > 0 and random.random() < now.shadow:
            return _Sample(self, now, number, function, args, is_baseline)
        return None

    def ended(self, now, is_failure):
        """Counts a call of the candidate. The control answers all that follow if too many have failed, until the file changes."""
        with self.counting:
            block = now.block
            block[0] += 1
            block[1] += is_failure
            if block[0] < _BLOCK:
                return
            failed = block[1]
            now.block = [0, 0]
            if failed <= _MOST_FAILED or now.share == 0:
                return
            now.share = 0
        self.say(f"{failed} of {_BLOCK} calls failed at {now.candidate}, so the control answers until the control file changes")

    def refuse(self, function, words):
        """The control has answered arguments that the candidate does not take. Why may hold values."""
        now = self.in_force
        self.count("refused")
        if self.refusal is None:
            self.refusal = (f"{function.name}: {words}" if now is not None and now.keeps_values else function.name)[:100]

    def counted(self):
        with self.counting:
            counts = dict(self.counts)
        host = {"process": str(os.getpid()), "began": self.began, "machine": socket.gethostname()}
        more = {"candidate": self.candidate, "refusal": self.refusal}
        return {**host, **counts, **{name: value for name, value in more.items() if value is not None}}

    def close(self):
        self.is_closed = True
        self.over.set()
        self.in_force = None
        self.shadow.close(self.counted())
        if self.deaths is not None:
            self.deaths.end()
        for _, _, release in self.candidates.values():
            release()


class _Shared:
    """A call that the candidate answers, or the control if the candidate fails in any way."""

    is_shared = True

    def __init__(self, rollout, now, function):
        self.rollout = rollout
        self.now = now
        self.function = function
        # Why the candidate refused the arguments.
        self.refusal = None
        self.deaths = rollout.deaths if now.candidate.startswith("3:") else None
        rollout.count("shared")
        if self.deaths is not None:
            self.deaths.enter()

    def leave(self):
        if self.deaths is not None:
            self.deaths.leave()

    def given(self, answer):
        self.leave()
        self.rollout.ended(self.now, False)
        return answer

    def not_given(self, error):
        self.leave()
        kind = next((kind for class_, kind in _FAILURES if isinstance(error, class_)), "lost")
        if kind == "refused":
            self.refusal = str(error)
        else:
            self.rollout.count(kind)
        self.rollout.ended(self.now, kind not in ("refused", "errors"))

    def answered(self, _value):
        # Not if the control raises, too.
        if self.refusal is not None:
            self.rollout.refuse(self.function, self.refusal)

    def failed(self, _error):
        pass


class _Sample:
    """A call that is compared: its arguments are encoded before anybody can change them."""

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
            self.args = encoded(lambda to: function.write_arguments(to, args))
        except TooLarge:
            rollout.count("too_large")
        except Exception as error:
            self.refusal = str(error)

    def answered(self, value):
        if self.refusal is not None:
            self.rollout.refuse(self.function, self.refusal)
        elif self.args is not None:
            self.send(lambda: encoded_answer(self.function, value))

    def failed(self, error):
        if self.refusal is None and self.args is None:
            return
        answer = encoded_error(error, self.is_baseline) if self.refusal is None else None
        # Arguments that neither takes, or a control that was lost, say nothing of the candidate.
        if answer is None:
            self.rollout.count("sampled", -1)
        else:
            self.send(lambda: answer)

    def send(self, encode):
        try:
            if not self.rollout.shadow.send(self.number, self.args, encode(), self.now.keeps_values):
                self.rollout.count("dropped")
        except TooLarge:
            self.rollout.count("too_large")
        except Exception:
            # Code of the server's may run, and raise, where a value is read.
            self.rollout.count("dropped")


def _is_shared(now, number, function, args):
    if not now.is_by_input:
        return random.random() < now.share
    try:
        content = encoded(lambda to: function.write_arguments(to, args))
    except Exception:
        return False
    digest = hmac.new(now.key, f"{number} ".encode() + content, hashlib.sha256).digest()
    return int.from_bytes(digest[:4], "little") < now.share * 2**32


def _at_exit(reference):
    """Writes are over at once, or not at all."""
    rollout = reference()
    if rollout is not None and not rollout.is_closed:
        rollout.shadow.count(rollout.counted())
        if rollout.deaths is not None:
            rollout.deaths.end()


class _Control:
    """The chosen tier as the control of a rollout."""

    def __init__(self, rollout, chosen):
        self.rollout = rollout
        self.tier = chosen.tier
        self.variant = chosen.variant

    def bound(self, counters):
        calls, call_async = self.variant.bound(counters)
        is_baseline, count = self.tier.startswith("0"), counters.counts["calls"].__next__
        around = [
            self.rollout.around(number, call, is_baseline, count) if number in PURE else call
            for number, call in enumerate(calls)
        ]
        return around, self.rollout.around_async(call_async, is_baseline, count)

    def ready(self):
        self.variant.ready()
        self.rollout.started.wait(_PATIENCE)


_lock = threading.Lock()
_rollout = None
_users = 0
_is_refused = False


def around(chosen, context, path, variants, variant_of):
    """The chosen tier as the control of a rollout; as it is if there can be none here, which is said."""
    global _rollout, _users, _is_refused
    with _lock:
        try:
            if not hasattr(socket, "AF_UNIX"):
                raise Unavailable("it needs a system with Unix sockets")
            if _rollout is None:
                _rollout = Rollout(context, path, variants, variant_of)
        except Unavailable as error:
            if not _is_refused:
                print(f"{context.package}: TIERUP_ROLLOUT is not obeyed: {error}", file=sys.stderr)
            _is_refused = True
            return chosen
        _users += 1
        own = _rollout
    release = chosen.release

    def leave():
        global _rollout, _users
        with _lock:
            _users -= 1
            is_last = _users == 0
            if is_last:
                _rollout = None
        if is_last:
            own.close()
        release()

    chosen.variant, chosen.release = _Control(own, chosen), leave
    return chosen

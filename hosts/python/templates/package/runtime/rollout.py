# Made by tierup; the same in every package.
"""A rollout inside the process. TIERUP_ROLLOUT names a control file, which sets the share of calls that is compared
with a candidate (shadow), and the share that it answers (share). The control, i.e. the chosen tier, answers all other
calls, and all calls without a valid file. Only functions that tierup.toml declares pure take part.

All bindings of a process share one rollout. A thread reads the file once a second. A forked child has its own.
"""

import contextlib
import itertools
import os
import random
import signal
import socket
import sys
import threading
import time
from collections import deque

from .._interface import PURE
from .deaths import Deaths
from .forks import renew_after_fork
from .in_force import BLOCK, InForce
from .pairs import Counts, Pairs
from .rollout_file import parse, read
from .shadow import Shadow, encoded_arguments, words_of
from .signals import foreign_signals, is_of_a_signal
from .taken import Sample, Shared

# How long `ready()` waits for the file and the process that compares, in seconds.
_PATIENCE = 5

# The file's content expires after this many seconds, whatever the reason why it was not read again.
_FRESH = 5

# After this many deaths in a call of the candidate, no process calls it.
_MOST_DEATHS = 2

# Each message is printed once, and at most this many are.
_MOST_SAID = 20

_KINDS = ("calls", "sampled", "too_large", "refused", "dropped", "shared", "erred", "errors", "panics", "timeouts", "lost")


class Rollout:
    def __init__(self, context, path, variants, variant_of):
        """`variants`: names of those in Rust. `variant_of(candidate)`: its calls, its coroutine, its release."""
        self.context = context
        self.path = os.path.abspath(path)
        self.folder = f"{self.path}.evidence"
        self.variants = variants
        self.variant_of = variant_of
        self.said = set()
        self.unsaid = deque(maxlen=_MOST_SAID)
        self.candidates = {}
        self.shadow = Shadow(context, self.folder, self.say)
        self.is_closed = False
        self.prepare()
        renew_after_fork(self)
        self.begin()

    def prepare(self):
        self.text = None
        self.in_force = None
        self.fresh = 0
        # The last candidate in force.
        self.candidate = None
        self.deaths = None
        # Reentrant: a signal or the garbage collector may make a call during another call.
        self.counting = threading.RLock()
        # Threads in a call of the candidate. A signal's call in such a thread must not wait for its worker.
        self.inside = set()
        self.counters = {kind: itertools.count() for kind in (*_KINDS, "unsampled")}
        self.pair_counts = Counts()
        # The first refused function, and why it was refused if values may be kept.
        self.refusal = None
        self.keeps_values = False
        self.began = time.time_ns() // 1_000_000
        # The server may have seeded the module's own generator.
        self.random = random.Random().random
        self.started = threading.Event()
        self.over = threading.Event()
        self.ending = threading.Lock()
        # Whether the thread has ended, and whether it has to run `end` itself.
        self.has_ended = self.is_left = False

    def begin(self):
        self.thread = threading.Thread(target=self.run, name="tierup-rollout", daemon=True)
        self.thread.start()

    def after_fork(self):
        deaths, self.in_force = self.deaths, None
        if deaths is not None:
            deaths.after_fork()
        self.shadow.after_fork()
        if self.is_closed:
            return
        self.prepare()
        try:
            self.begin()
        except Exception as error:
            # The control answers all calls.
            self.has_ended = True
            self.say(f"it is not obeyed in a forked process: {error}")

    def say(self, words):
        """Prints a message once. Calls do not print: a pipe that nobody reads would block them."""
        if words not in self.said and len(self.said) < _MOST_SAID:
            self.said.add(words)
            tell(f"{self.context.package}: TIERUP_ROLLOUT: {words}")

    def run(self):
        over = self.over
        self.block_signals()
        try:
            while not over.is_set():
                try:
                    self.step()
                except Exception as error:
                    self.in_force = self.text = None
                    self.say(f"the control answers every call: {words_of(error)}")
                self.started.set()
                over.wait(1)
        finally:
            self.in_force = None
            with self.ending:
                self.has_ended = True
                is_left = self.is_left
            if is_left:
                self.end()

    def block_signals(self):
        if hasattr(signal, "pthread_sigmask"):
            self.shadow.companion.blocked = signal.pthread_sigmask(signal.SIG_BLOCK, foreign_signals())

    def ready(self):
        self.started.wait(_PATIENCE)

    def step(self):
        self.shadow.tick()
        self.read()
        if self.in_force is not None:
            self.shadow.connect()
            # Connecting may have taken a while.
            self.read()
        self.shadow.count(self.counted())
        self.say_the_rest()

    def say_the_rest(self):
        while self.unsaid:
            self.say(self.unsaid.popleft())

    def read(self):
        try:
            control = parse(read(self.path))
            if control.until <= time.time():
                raise ValueError("its judge has not renewed it: `until` is over")
            # A later `until` alone changes nothing.
            text = repr(sorted({**vars(control), "until": 0}.items()))
            if self.deaths is not None and not os.path.exists(self.deaths.path):
                # The folder was removed, so a death would go unnoticed.
                self.deaths.end()
                self.deaths = self.text = None
            if text != self.text:
                self.in_force = None
                self.keeps_values = control.keeps_values
                self.obey(control)
                self.text = text
            self.fresh = time.monotonic() + _FRESH
        except Exception as error:
            self.text = None
            self.in_force = None
            self.keeps_values = False
            self.say(f"{self.path} is not obeyed, so the control answers every call: {error}")
        if not self.keeps_values and self.refusal is not None:
            self.refusal = (self.refusal[0], None)

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
        pairs = Pairs(control, self.pair_counts, len(self.context.functions))
        self.in_force = InForce(control, variant, pairs)

    def shared(self, control):
        """The candidate that may answer calls here, or None."""
        candidate = control.candidate
        name = f"{candidate} {control.generation}".strip()
        # Only code in this process can end it, so only `3:` candidates need the file.
        if candidate.startswith("3:") and (self.deaths is None or self.deaths.name != name):
            try:
                deaths = Deaths(self.folder, name)
                count = deaths.count(None if self.deaths is None else self.deaths.path)
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

    def count(self, kind):
        next(self.counters[kind])

    def around(self, number, control, tier, count):
        """A call of the control as a part of the rollout. `count` counts calls that the control does not get."""

        def call(*args):
            thread = threading.get_ident()
            now = None if thread in self.inside else self.now(number, args, tier)
            if now is None:
                return control(*args)
            taken = self.take(now, number, args, tier)
            if taken is None:
                began = now.pairs.begin(number, False)
                answer = control(*args)
                now.pairs.end(number, False, began)
                return answer
            if taken.is_shared:
                try:
                    self.inside.add(thread)
                    began = now.pairs.begin(number, True)
                    answer = now.calls[number](*args)
                    now.pairs.end(number, True, began)
                except BaseException as error:
                    if not taken.not_given(error):
                        raise
                else:
                    taken.given()
                    count()
                    return answer
                finally:
                    self.inside.discard(thread)
            try:
                answer = control(*args)
            except BaseException as error:
                taken.failed(error)
                raise
            taken.answered(answer)
            return answer

        return call

    def around_async(self, control, tier, count):
        """The same for a coroutine."""

        async def call_async(number, *args):
            now = self.now(number, args, tier)
            taken = None if now is None else self.take(now, number, args, tier)
            if taken is None:
                return await control(number, *args)
            if taken.is_shared:
                try:
                    answer = await taken.now.call_async(number, *args)
                except BaseException as error:
                    if not taken.not_given(error):
                        raise
                else:
                    taken.given()
                    count()
                    return answer
            try:
                answer = await control(number, *args)
            except BaseException as error:
                taken.failed(error)
                raise
            taken.answered(answer)
            return answer

        return call_async

    def now(self, number, args, tier):
        """The control in force if it concerns this call, which it then counts; otherwise None."""
        now = self.in_force
        if now is None or number not in PURE or now.candidate == tier or time.monotonic() > self.fresh:
            return None
        # The control may accept arguments beyond the signature.
        if len(args) > len(self.context.functions[number].parameters):
            return None
        self.count("calls")
        return now

    def take(self, now, number, args, tier):
        """The call if the candidate answers it, or if it is compared; None if only the control takes it."""
        function = self.context.functions[number]
        try:
            if now.share > 0 and self.is_shared(now, number, function, args):
                return Shared(self, now, function)
            if now.shadow > 0 and self.random() < now.shadow:
                return Sample(self, now, number, function, args, tier.startswith("0"))
        except Exception as error:
            if is_of_a_signal(error):
                raise
        return None

    def is_shared(self, now, number, function, args):
        if not now.is_by_input:
            return self.random() < now.share
        try:
            return now.chooses(number, encoded_arguments(function, args))
        except Exception as error:
            if is_of_a_signal(error):
                raise
            return False

    def ended(self, now, is_failure):
        """Counts a call of the candidate. If too many have failed, the control answers until the file changes."""
        with self.counting:
            failed = now.ended(is_failure)
        if failed:
            self.unsaid.append(f"{failed} of {BLOCK} calls failed at {now.candidate}, so the control answers until the control file changes")

    def refuse(self, function, words):
        """Counts arguments that the control has answered and the candidate refuses. The reason may contain values."""
        self.count("refused")
        if self.refusal is None:
            self.refusal = (function.name, words[:100].encode("utf-8", "replace").decode() if self.keeps_values else None)

    def counted(self):
        # The representation `count(7)` contains the next number. A call is counted as sampled before it is taken back.
        unsampled, *numbers = [int(repr(self.counters[kind])[6:-1]) for kind in ("unsampled", *_KINDS)]
        counts = dict(zip(_KINDS, numbers))
        counts["sampled"] -= unsampled
        refusal = None if self.refusal is None else ": ".join(filter(None, self.refusal))[:100]
        host = {"process": str(os.getpid()), "began": self.began, "machine": socket.gethostname()}
        more = {"candidate": self.candidate, "refusal": refusal}
        return {**host, **counts, **self.pair_counts.sums, **{name: value for name, value in more.items() if value is not None}}

    def close(self):
        """Waits for the thread. If it is busy, such as with connecting, the thread runs `end` later."""
        self.is_closed = True
        self.in_force = None
        self.over.set()
        try:
            if not self.has_ended and self.thread is not threading.current_thread():
                self.thread.join(_PATIENCE)
        finally:
            with self.ending:
                self.is_left = not self.has_ended
        if not self.is_left:
            self.end()

    def end(self):
        self.in_force = None
        self.say_the_rest()
        deaths = [] if self.deaths is None else [self.deaths.end]
        for end in (lambda: self.shadow.close(self.counted()), *deaths, *[release for _, _, release in self.candidates.values()]):
            try:
                end()
            except Exception as error:
                self.say(f"it has not ended well: {words_of(error)}")


def tell(words):
    """Writes without `print`, which has a lock. A child forked at that moment would hold it forever, and its
    interpreter would abort at exit."""
    with contextlib.suppress(Exception):
        try:
            file = sys.stderr.fileno()
        except Exception:
            # The server has replaced `sys.stderr`. If it is None, `print` would write to standard output.
            if sys.stderr is not None:
                print(words, file=sys.stderr)
            return
        os.write(file, f"{words}\n".encode("utf-8", "backslashreplace"))

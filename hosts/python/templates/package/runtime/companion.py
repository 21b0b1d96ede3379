# Made by tierup; the same in every package.
"""The companion: a program that starts a worker for each connection to its socket, and ends no later than this process.

The first call starts it. If it has ended, the next call starts it again. Its workers outlive it. A forked child uses
its parent's as long as that one lives. TIERUP_POOL_SOCKET names the socket of a companion that was started elsewhere.
"""

import contextlib
import os
import select
import signal
import subprocess
import threading
import time

from .errors import TransportError
from .limits import left
from .programs import close_pipe, connected, ending, give_up, start

# How long the companion may take to end by itself before it is killed, in seconds.
PATIENCE = 5

# The pause after a failed start before the next attempt, in seconds.
PAUSE = 0.5

# A bit more than the companion's longest pause between the starts of workers, in seconds.
LONGEST_PAUSE = 6


class Companion:
    def __init__(self, path, abi, limits):
        self.path = path
        self.line = (path, "--tierup-companion", abi)
        self.limits = limits
        # A connection may wait for a start that is under way, for a pause, and for the start of its own worker.
        self.patience = 2 * limits.start + LONGEST_PAUSE
        self.named = os.environ.get("TIERUP_POOL_SOCKET") or None
        self.socket = self.named
        # The signals that the companion's process blocks; None for those of the thread that starts it.
        self.blocked = None
        self.after_fork()

    def after_fork(self):
        self.lock = threading.Lock()
        # The companion's process, if this process has started it.
        self.process = None
        # The reason why the last start failed. Calls get this error until `next`.
        self.failure = ""
        self.next = 0

    def connect(self, deadline):
        """Connects. Starts the companion if none listens. There is no process to wait for, hence the None."""
        if not self.lock.acquire(timeout=-1 if deadline is None else left(deadline)):
            raise self.limits.waited_too_long()
        try:
            found = None if self.socket is None else self.connected()
            if found is None:
                self.start()
                found = self.connected()
            if found is None:
                raise TransportError(f"{self.path} ended as soon as it had started: standard error says why")
            return found, None
        finally:
            self.lock.release()

    def connected(self):
        """A connection to the socket; None if nobody listens."""
        try:
            return connected(self.socket, self.limits.start)
        except (ConnectionRefusedError, FileNotFoundError) as error:
            if self.named:
                raise TransportError(f"nobody listens on {self.named} (TIERUP_POOL_SOCKET): does its program run?") from error
            with contextlib.suppress(OSError):
                # A companion that was killed leaves its socket behind.
                os.unlink(self.socket)
            return None
        except OSError as error:
            raise TransportError(f"{self.socket}: {error}") from error

    def start(self):
        if time.monotonic() < self.next:
            raise TransportError(self.failure)
        self.end()
        try:
            self.process = self.begun()
            self.socket = self.said()
        except TransportError as error:
            self.failure, self.next = str(error), time.monotonic() + PAUSE
            raise

    def begun(self):
        if self.blocked is None:
            return start(*self.line)
        before = signal.pthread_sigmask(signal.SIG_SETMASK, self.blocked)
        try:
            return start(*self.line)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def said(self):
        """The socket's path, which the companion writes once it listens."""
        output, line = self.process.stdout, b""
        end = time.monotonic() + self.limits.start
        ready = select.poll()
        ready.register(output, select.POLLIN)
        while not line.endswith(b"\n"):
            if not ready.poll(left(end) * 1000):
                self.process.kill()
                raise self.limits.started_too_late(self.path)
            part = output.read(4096)
            if not part:
                raise ending(self.path, self.process.wait())
            line += part
        return os.fsdecode(line[:-1])

    def end(self):
        """Ends the companion if it is this process's own. It removes its socket when its standard input is closed."""
        process, self.process = self.process, None
        if process is None:
            return
        close_pipe(process.stdin)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        give_up(process)

# Made by tierup; the same in every package.
"""Deaths of processes in a call of a rollout's candidate: an extension that overflows its stack ends the process, and nothing there
can tell of it any more. So each process has a file that says whether it is in such a call. A process that starts finds the files of
those that have ended."""

import contextlib
import os
import socket
import threading
import time

from .programs import identity


class Deaths:
    def __init__(self, folder, name):
        """`name`: of the candidate; a death counts against this name only."""
        self.folder = folder
        self.name = name
        self.file = None
        self.path = None
        # What is collected, or a signal, may make a call in the middle of another one's note.
        self.lock = threading.RLock()
        self.depth = 0

    def count(self, own=None):
        """How many processes have died in a call of the candidate. OSError where that cannot be known. `own`: this process's file."""
        os.makedirs(self.folder, 0o700, exist_ok=True)
        count = 0
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if path == own:
                continue
            if name.endswith(".call"):
                count += self.look(path)
            elif name.endswith(".died"):
                with open(path, encoding="utf-8", errors="replace") as file:
                    count += file.read().endswith(f" {self.name}\n")
        return count

    def look(self, path):
        """Whether a process has died in a call, by its file. Of several who look at it, one finds it."""
        pid, _, rest = os.path.basename(path)[: -len(".call")].partition("-")
        _began, _, rest = rest.partition("-")
        _thread, _, machine = rest.partition("-")
        if machine != socket.gethostname() or _lives(int(pid)):
            return False
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if not text.startswith("1"):
                os.unlink(path)
                return False
            os.rename(path, f"{path[:-len('call')]}died")
            return text.endswith(f" {self.name}\n")
        except FileNotFoundError:
            return False

    def begin(self):
        """Makes this process's file. OSError where that fails: nobody would learn of its death."""
        now = time.time_ns()
        self.path = os.path.join(self.folder, f"{os.getpid()}-{now // 1_000_000}-0x{now:x}-{socket.gethostname()}.call")
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, f"0 {self.name}\n".encode())
            self.identity = identity(file)
        except BaseException:
            os.close(file)
            os.unlink(self.path)
            raise
        self.file = file

    def enter(self):
        """A call begins."""
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                self.write(b"1")

    def leave(self):
        """It has ended."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.write(b"0")

    def write(self, state):
        # Calls may outlive it. A disk that fails is none of the call's business.
        if self.file is None:
            return
        try:
            if identity(self.file) == self.identity:
                os.pwrite(self.file, state, 0)
            else:
                self.file = None
        except OSError:
            pass

    def end(self):
        if self.forget():
            # Somebody else may have removed it.
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    def after_fork(self):
        """The file is the parent's."""
        self.lock = threading.RLock()
        self.forget()

    def forget(self):
        """Whether there was a file."""
        with self.lock:
            file, self.file = self.file, None
        if file is not None:
            with contextlib.suppress(OSError):
                if identity(file) == self.identity:
                    os.close(file)
        return file is not None


def _lives(pid):
    """Whether another process of this machine lives. This one has no file when it looks."""
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True

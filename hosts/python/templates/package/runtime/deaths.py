# Made by tierup; the same in every package.
"""Deaths of processes in a call of a rollout's candidate. An extension that overflows its stack ends the process, which
can then report nothing. So each process has a file that says whether it is in such a call. A new process finds the
files of those that have ended."""

import contextlib
import os
import socket
import threading
import time

from .programs import identity


class Deaths:
    def __init__(self, folder, name):
        """`name` is the candidate's name and generation; a death counts against this name only."""
        self.folder = folder
        self.name = name
        self.file = None
        self.path = None
        # A signal or the garbage collector may make a call while another call is writing.
        self.lock = threading.RLock()
        self.depth = 0

    def count(self, own=None):
        """How many processes have died in a call of the candidate. OSError if that is unknown. `own` is our file."""
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
        """Whether a file shows that a process died in a call. Of several processes that look, only one reports it."""
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
        """Makes this process's file. Raises OSError if that fails, as a death would go unnoticed."""
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
        """Begins a call."""
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                self.write(b"1")

    def leave(self):
        """Ends a call."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.write(b"0")

    def write(self, state):
        # Calls may outlive the file. They ignore a disk that fails.
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
            # The file may already be gone.
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    def after_fork(self):
        """Drops the file, which is the parent's."""
        self.lock = threading.RLock()
        self.forget()

    def forget(self):
        """Closes the file. Returns whether there was one."""
        with self.lock:
            file, self.file = self.file, None
        if file is not None:
            with contextlib.suppress(OSError):
                if identity(file) == self.identity:
                    os.close(file)
        return file is not None


def _lives(pid):
    """Whether another process of this machine lives. Our own number was another's: we have no file yet when we look."""
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True

# Made by tierup; the same in every package.
"""Common parts of variants that start processes: finding the program, starting it, and the error if it ends."""

import errno
import io
import os
import signal
import socket
import subprocess
import threading
import weakref

from .errors import TransportError, Unavailable

# The processes that this one started. A forked child closes its copies of their pipes: a process does not see the end
# of its standard input while another process has it open.
_started = weakref.WeakSet()

# The connections to workers. A forked child closes its copies of them, too.
_connections = weakref.WeakSet()

# Held while a process is being started. A fork waits for it, as the child could not find half-made pipes.
_starting = threading.RLock()


def without_forks():
    """A lock. While it is held, forks wait."""
    return _starting


def program(context):
    """The program's path. Raises if it cannot run."""
    suffix = ".exe" if os.name == "nt" else ""
    path = str(context.artifact(f"{context.package}{suffix}"))
    if not os.access(path, os.X_OK):
        raise Unavailable(f"{path} cannot be executed")
    return path


def start(*line):
    """Starts a program. It inherits standard error, so no thread has to forward its messages."""
    with _starting:
        try:
            process = subprocess.Popen(
                line,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                # Ctrl-C in a terminal must reach only the server, which still needs the answers of running calls.
                start_new_session=True,
            )
        except OSError as error:
            raise TransportError(f"{line[0]} could not be started: {error}") from error
        for file in (process.stdin, process.stdout):
            file.identity = identity(file.fileno())
        _started.add(process)
    return process


def identity(number):
    """Identifies an open file: a new daemon closes all files, and opens others with the same numbers."""
    found = os.fstat(number)
    return found.st_dev, found.st_ino


# Pipes that other code has closed. They are kept: freeing them would close whatever file has the number now.
_lost = []


def close_pipe(file):
    if file.closed:
        return
    try:
        is_ours = identity(file.fileno()) == file.identity
    except OSError:
        is_ours = False
    if is_ours:
        file.close()
    else:
        _lost.append(file)


def connected(path, seconds):
    """A connection to a socket."""
    with _starting:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        _connections.add(connection)
    connection.settimeout(seconds)
    try:
        connection.connect(path)
        connection.settimeout(None)
    except BaseException:
        connection.close()
        raise
    return connection


def opened(path, mode):
    """Opens a named pipe that the other process has opened, and removes its name."""
    kind = os.O_RDONLY if mode == "rb" else os.O_WRONLY
    with _starting:
        try:
            file = io.FileIO(os.open(path, kind | os.O_NONBLOCK | os.O_CLOEXEC), mode)
            os.set_blocking(file.fileno(), True)
            os.unlink(path)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise  # nobody has the other end any more
            raise TransportError(f"{path}: {error}") from error
        _connections.add(file)
    return file


def give_up(process):
    """Closes this process's ends of the pipes, and stops waiting for the other process."""
    close_pipe(process.stdin)
    close_pipe(process.stdout)
    if process.returncode is None:
        process.returncode = 0


def ending(path, code):
    """The error for a process that ended without an answer; `code` is as in `Popen.returncode`."""
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return TransportError(f"{path} was ended by {name}")
    return TransportError(f"{path} ended with exit code {code}: standard error has its last words")


def _before_fork():
    _starting.acquire()


def _after_fork_in_parent():
    _starting.release()


def _after_fork_in_child():
    global _starting
    _starting = threading.RLock()
    for process in list(_started):
        give_up(process)
    for connection in list(_connections):
        connection.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
    )

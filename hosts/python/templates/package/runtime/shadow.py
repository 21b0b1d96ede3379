# Made by tierup; the same in every package.
"""Sends encoded calls to a process that compares them with the candidate's answers. A call is sent at once or not at
all: nothing here raises or waits in a call."""

import contextlib
import json
import os
import socket
import struct
import threading
import time
from collections.abc import Mapping, Sequence

from .answers import ERROR, OK, PANIC, REFUSED
from .built import remedy
from .companion import Companion
from .errors import CallError, PanicError, TransportError
from .limits import Limits
from .programs import identity, program
from .wire import Writer

# The most bytes that the arguments may have, and that an answer may have.
LARGEST = 64 << 10

# Numbers of the protocol: see docs/byte-abi.md of tierup.
_SHADOW = 0x7FFFFFFE
_COUNTS = 0x7FFFFFFD
_KEEP = 0x40000000

# The longest pause between attempts to connect, in seconds.
_LONGEST_PAUSE = 60

# How long the process that compares may take at the end, in seconds. It allows itself less.
_PATIENCE = 8

# In some servers SIGPIPE ends the process.
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)


class TooLarge(Exception):
    """A value needs more than `LARGEST` bytes."""


class Bounded(Writer):
    """A writer that stops before it copies a value that is too large."""

    def count(self, number):
        if number + len(self.buffer) > LARGEST:
            raise TooLarge
        super().count(number)

    def text(self, value):
        if isinstance(value, str) and len(value) > LARGEST:
            raise TooLarge
        super().text(value)

    def bytes(self, value):
        if type(value) is not bytes:
            with contextlib.suppress(TypeError, ValueError, BufferError), memoryview(value) as view:
                if view.nbytes > LARGEST:
                    raise TooLarge
        super().bytes(value)

    def numbers(self, kind, value):
        _check_size(value)
        super().numbers(kind, value)


def _check_size(value):
    """Checks a list or map before it is copied for `Bounded`, and a `range`, which may have many items."""
    if isinstance(value, (list, tuple, dict)) or not isinstance(value, (str, bytes)) and isinstance(value, (Sequence, Mapping)):
        if len(value) > LARGEST:
            raise TooLarge


def encoded_arguments(function, args):
    for value in args:
        _check_size(value)
    return encoded(lambda to: function.write_arguments(to, args))


def encoded(write):
    """The bytes that `write` writes. Raises the errors of `write`, or TooLarge."""
    to = Bounded()
    write(to)
    if len(to.buffer) > LARGEST:
        raise TooLarge
    return bytes(to.buffer)


def encoded_answer(function, value):
    def write(to):
        _check_size(value)
        to.case(OK)
        function.write_output(to, value)

    try:
        return encoded(write)
    except (TypeError, ValueError, OverflowError) as error:
        # No tier in Rust can return this value.
        return _message(REFUSED, error)


def encoded_error(error, is_baseline):
    """How a call failed; None if that says nothing about the function. Any exception of a baseline is its error."""
    if is_baseline or isinstance(error, CallError):
        return _message(ERROR, error)
    if isinstance(error, PanicError):
        return _message(PANIC, error)
    return _message(REFUSED, error) if isinstance(error, (TypeError, ValueError, OverflowError)) else None


def words_of(error):
    """The text of an error. A class of the server's may raise instead."""
    try:
        return str(error)
    except Exception:
        return type(error).__name__


def _message(tag, error):
    text = words_of(error)[:1000].encode("utf-8", "replace")
    return struct.pack("<BI", tag, len(text)) + text


class Shadow:
    def __init__(self, context, folder, say):
        """`folder` is for evidence. `say(words)` prints a message once."""
        self.abi = context.abi
        self.limits = Limits()
        self.companion = Companion(program(context), context.abi, self.limits)
        self.folder = folder
        self.say = say
        self.after_fork()

    def after_fork(self):
        """Drops the connection, which is the parent's. `programs.py` closes it."""
        self.companion.after_fork()
        self.line = None
        self.pause = 0.5
        self.next = 0

    def connect(self):
        """Connects if there is no connection. Calls must not use this, as it waits."""
        if self.line is not None or time.monotonic() < self.next:
            return
        # For the case that it fails.
        self.next = time.monotonic() + self.pause
        self.pause = min(2 * self.pause, _LONGEST_PAUSE)
        try:
            connection, _ = self.companion.connect(None)
            connection.settimeout(self.companion.patience)
            try:
                self.greet(connection)
            except BaseException:
                connection.close()
                raise
            connection.setblocking(False)
            self.line = _Line(connection)
            self.pause = 0.5
        except Exception as error:
            self.say(str(error))

    def greet(self, connection):
        """Reads 8 bytes, the hash of the interface, and 4 more, the empty answer to the request for a shadow."""
        hash_ = struct.unpack("<Q", _exactly(connection, 8))[0]
        if hash_ == 0:
            raise TransportError(b"".join(iter(lambda: connection.recv(4096), b"")).decode("utf-8", "replace"))
        is_ours = f"{hash_:016x}" == self.abi
        if is_ours:
            connection.sendall(_framed(_SHADOW, os.fsencode(self.folder)), _NO_SIGNAL)
        if not is_ours or _exactly(connection, 4) != bytes(4):
            raise TransportError(f"{self.companion.path} was built for another interface, or knows nothing of rollouts: {remedy()}")

    def send(self, number, args, answer, may_be_kept):
        """Sends a call; False if that is not possible at once. Its values may be kept if the answers differ."""
        return self.write(_framed(number + (_KEEP if may_be_kept else 0), struct.pack("<I", len(args)), args, answer))

    def count(self, counts):
        """Sends the counts."""
        return self.write(_counts(counts))

    def write(self, frame):
        line = self.line
        # This very thread may hold it, in code that a signal has interrupted.
        if line is None or not line.lock.acquire(blocking=False):
            return False
        try:
            if line.rest:
                return False
            line.send(frame)
            return True
        except BlockingIOError:
            return False
        except OSError:
            self.lose(line)
            return False
        except BaseException:
            # A signal has ended the call, and nobody knows how much was sent.
            self.lose(line)
            raise
        finally:
            line.lock.release()

    def tick(self):
        """Writes the rest of a frame, once a second. If the rest is not sent within a second, closes the connection."""
        line = self.line
        if line is None:
            return
        # A signal may have ended the code that holds it.
        if not line.lock.acquire(timeout=1):
            self.lose(line)
            return
        try:
            if line.rest:
                line.send(line.rest)
            elif not line.is_ours():
                self.lose(line)
        except BlockingIOError:
            pass
        except OSError:
            self.lose(line)
        finally:
            if line.rest and line.is_stuck:
                self.lose(line)
            line.is_stuck = bool(line.rest)
            line.lock.release()

    def lose(self, line):
        if self.line is line:
            self.line = None
        line.close()

    def close(self, counts):
        """Waits some seconds until the calls sent so far are compared."""
        line, self.line = self.line, None
        if line is not None:
            # Another thread may be writing.
            line.lock.acquire(timeout=1)
            with contextlib.suppress(OSError):
                if line.is_ours():
                    line.socket.settimeout(_PATIENCE)
                    line.socket.sendall(line.rest + _counts(counts), _NO_SIGNAL)
                    line.socket.shutdown(socket.SHUT_WR)
                    while line.socket.recv(4096):
                        pass
            line.close()
        self.companion.end()


class _Line:
    """A connection."""

    def __init__(self, connection):
        self.socket = connection
        self.identity = identity(connection.fileno())
        # Held during a write. A thread that does not get it at once writes nothing.
        self.lock = threading.Lock()
        # The part of the last write that the kernel has not taken, and whether there was one a second ago.
        self.rest = b""
        self.is_stuck = False

    def is_ours(self):
        """Whether the descriptor still belongs to this connection."""
        try:
            return identity(self.socket.fileno()) == self.identity
        except OSError:
            return False

    def send(self, content):
        if not self.is_ours():
            raise OSError("somebody has closed it")
        self.rest = content[self.socket.send(content, _NO_SIGNAL) :]

    def close(self):
        if self.is_ours():
            self.socket.close()
        else:
            # A forked child closes all connections.
            self.socket.detach()


def _exactly(connection, count):
    content = b""
    while len(content) < count:
        part = connection.recv(count - len(content))
        if not part:
            raise TransportError("the program that compares has ended: standard error says why")
        content += part
    return content


def _counts(counts):
    return _framed(_COUNTS, json.dumps(counts).encode())


def _framed(number, *parts):
    """A request: its length, a number, and the parts."""
    content = b"".join(parts)
    return struct.pack("<II", 4 + len(content), number) + content

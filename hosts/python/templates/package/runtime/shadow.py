# Made by tierup; the same in every package.
"""What a rollout sends of calls: arguments and answers, encoded, to a process that compares them with what the candidate answers. It
goes out at once or not at all, and nothing here raises or waits in a call."""

import contextlib
import json
import socket
import struct
import threading
import time

from .answers import ERROR, OK, PANIC, REFUSED
from .companion import Companion
from .errors import CallError, PanicError, TransportError
from .limits import Limits
from .programs import program
from .wire import Writer

# The most bytes of arguments, and of an answer.
LARGEST = 64 << 10

# Of the protocol: see docs/byte-abi.md of tierup.
_SHADOW = 0x7FFFFFFE
_COUNTS = 0x7FFFFFFD
_KEEP = 0x40000000

# How long it pauses at most before it connects again, in seconds.
_LONGEST_PAUSE = 60

# How long the other end may take for what it has, in seconds: more than it gives itself.
_PATIENCE = 8


class TooLarge(Exception):
    """More than `LARGEST`."""


class Bounded(Writer):
    """A writer that stops before it copies what is too large."""

    def count(self, number):
        if number + len(self.buffer) > LARGEST:
            raise TooLarge
        super().count(number)

    def text(self, value):
        if isinstance(value, str) and len(value) > LARGEST:
            raise TooLarge
        super().text(value)


def encoded(write):
    """A copy of what `write` writes; raises what that raises, or TooLarge."""
    to = Bounded()
    write(to)
    if len(to.buffer) > LARGEST:
        raise TooLarge
    return bytes(to.buffer)


def encoded_answer(function, value):
    def write(to):
        to.case(OK)
        function.write_output(to, value)

    try:
        return encoded(write)
    except (TypeError, ValueError, OverflowError) as error:
        # No tier in Rust can answer this.
        return _message(REFUSED, error)


def encoded_error(error, is_baseline):
    """How a call failed; None if that says nothing of the function. Whatever a baseline raises is its error."""
    if is_baseline or isinstance(error, CallError):
        return _message(ERROR, error)
    if isinstance(error, PanicError):
        return _message(PANIC, error)
    return _message(REFUSED, error) if isinstance(error, (TypeError, ValueError, OverflowError)) else None


def _message(tag, error):
    text = str(error)[:1000].encode("utf-8", "replace")
    return struct.pack("<BI", tag, len(text)) + text


class Shadow:
    def __init__(self, context, folder, say):
        """`folder`: for evidence. `say(words)`: tells the operator, once."""
        self.abi = context.abi
        self.limits = Limits()
        self.companion = Companion(program(context), context.abi, self.limits)
        self.folder = folder
        self.say = say
        self.after_fork()

    def after_fork(self):
        """The connection is the parent's, and closed in `programs.py`."""
        self.companion.after_fork()
        # Held while something is written: whoever does not get it at once writes nothing.
        self.lock = threading.Lock()
        self.socket = None
        # What the kernel has not taken yet of the last write, and whether that was so a tick ago.
        self.rest = b""
        self.is_stuck = False
        self.pause = 0.5
        self.next = 0

    def connect(self):
        """Connects if there is no connection. Not in a call: it waits."""
        if self.socket is not None or time.monotonic() < self.next:
            return
        # If it fails.
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
            self.rest = b""
            self.socket = connection
            self.pause = 0.5
        except (OSError, TransportError) as error:
            self.say(str(error))

    def greet(self, connection):
        """8 bytes are the hash of the interface, and 4 more the empty answer to the request for a shadow."""
        hash_ = struct.unpack("<Q", _exactly(connection, 8))[0]
        if hash_ == 0:
            raise TransportError(b"".join(iter(lambda: connection.recv(4096), b"")).decode("utf-8", "replace"))
        is_ours = f"{hash_:016x}" == self.abi
        if is_ours:
            connection.sendall(_framed(_SHADOW, self.folder.encode()))
        if not is_ours or _exactly(connection, 4) != bytes(4):
            raise TransportError(f"{self.companion.path} was built for another interface, or knows nothing of rollouts: run `tierup build`")

    def send(self, number, args, answer, may_be_kept):
        """Sends a call, which may be kept with its values if it is answered differently; False if it cannot be sent at once."""
        return self.write(_framed(number + (_KEEP if may_be_kept else 0), struct.pack("<I", len(args)), args, answer))

    def count(self, counts):
        """Sends what was counted."""
        return self.write(_framed(_COUNTS, json.dumps(counts).encode()))

    def write(self, frame):
        # It may be held by the code that a signal has interrupted, in this very thread.
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self.socket is None or self.rest:
                return False
            self.rest = frame[self.socket.send(frame) :]
            return True
        except BlockingIOError:
            return False
        except OSError:
            self.lose()
            return False
        finally:
            self.lock.release()

    def tick(self):
        """Once a second: writes what is left of a frame. One that is not over after a second ends the connection."""
        with self.lock:
            if self.socket is None:
                return
            try:
                if self.rest:
                    self.rest = self.rest[self.socket.send(self.rest) :]
            except BlockingIOError:
                pass
            except OSError:
                self.lose()
            if self.rest and self.is_stuck:
                self.lose()
            self.is_stuck = bool(self.rest)

    def lose(self):
        self.socket.close()
        self.socket = None
        self.rest = b""

    def close(self, counts):
        """Waits until what was sent is compared, for some seconds."""
        is_sent = self.count(counts)
        with self.lock:
            connection, self.socket = self.socket, None
        if connection is not None:
            with contextlib.suppress(OSError):
                if is_sent:
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(_PATIENCE)
                    while connection.recv(4096):
                        pass
            connection.close()
        self.companion.end()


def _exactly(connection, count):
    content = b""
    while len(content) < count:
        part = connection.recv(count - len(content))
        if not part:
            raise TransportError("the program that compares has ended: standard error says why")
        content += part
    return content


def _framed(number, *parts):
    """A request: its length, a number, and what follows it."""
    content = b"".join(parts)
    return struct.pack("<II", 4 + len(content), number) + content

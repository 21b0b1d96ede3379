# Made by tierup; the same in every package.
"""A connection to one process of the pool, which ends with it, in a call or not.

Its first 8 bytes are the hash of the interface, which say that the process can be called; or 8 zeros, and then the reason why
there is no process. It then answers frames in their order.
"""

import select
import socket
import struct
import subprocess
import time

from .errors import TransportError
from .limits import left
from .programs import ending

# How long a worker may take to end by itself before its connection is closed, in seconds.
PATIENCE = 5

# Enough for a short answer. Python gives back what it has reserved and not filled, which takes longer for more.
_CHUNK = 4096


class Unheard(TransportError):
    """The worker had ended before the call, or the companion before it had one: no call is lost."""


class Worker:
    """It can be asked once it was greeted."""

    def __init__(self, source, abi, limits):
        self.source = source
        self.abi = abi
        self.limits = limits
        self.connection = None
        # The process at the other end, if this process has started it.
        self.process = None
        self.hello = b""
        self.is_greeted = False
        # Whether it was without a call.
        self.has_rested = False
        self.is_given_up = False

    def open(self, deadline):
        """Connects, unless it is connected."""
        if self.connection is not None:
            return
        self.connection, self.process = self.source.connect(deadline)
        self.start_end = time.monotonic() + self.source.patience
        self.silence = select.poll()
        self.silence.register(self.connection, select.POLLIN)
        if self.is_given_up:
            raise self._ended()

    def greet(self, deadline):
        """Waits until it can be called. After a CallTimeoutError it goes on starting; after any other it cannot be used."""
        self.open(deadline)
        end = self.start_end if deadline is None else min(self.start_end, deadline)
        while len(self.hello) < 8:
            if not self.silence.poll(left(end) * 1000):
                raise self.limits.started_too_late(self.source.path) if end == self.start_end else self.limits.waited_too_long()
            try:
                self.hello += self._part(8 - len(self.hello))
            except TransportError as error:
                raise Unheard(str(error)) if self.process is None and not self.is_given_up else error from None
        hash_ = struct.unpack("<Q", self.hello)[0]
        if hash_ == 0:
            raise TransportError(self._reason())
        if f"{hash_:016x}" != self.abi:
            raise TransportError(f"{self.source.path} was built for another interface: run `tierup build`")
        # Calls have a time-out of their own, or wait without end.
        self.connection.settimeout(None)
        self.is_greeted = True

    def _reason(self):
        self.connection.settimeout(PATIENCE)
        with self.connection.makefile("rb") as rest:
            return rest.read().decode("utf-8", "replace")

    def ask(self, frame, deadline):
        """Sends a frame and waits for the bytes of its answer. After any exception the worker cannot be used again."""
        try:
            if deadline is not None:
                self._wait_until(deadline)
            sent = self._send(frame)
            if sent < len(frame):
                self.connection.sendall(memoryview(frame)[sent:])
            # One read is enough for a short answer, because the worker writes nothing but answers.
            first = self._part(_CHUNK, deadline)
            while len(first) < 4:
                first += self._part(_CHUNK, deadline)
            length = struct.unpack_from("<I", first)[0]
            have = len(first) - 4
            if have == length:
                return first[4:]
            if have > length:
                raise TransportError(f"{self.source.path} sent an answer without a request")
            answer = bytearray(length)
            answer[:have] = first[4:]
            self._fill(memoryview(answer)[have:], deadline)
            return answer
        except socket.timeout:
            raise self.limits.took_too_long(": its process was ended") from None
        except (BrokenPipeError, ConnectionResetError):
            raise self._ended() from None

    def _send(self, frame):
        """Sends the beginning of a frame. A worker that was killed while it rested is found by this: nobody waits for it."""
        try:
            return self.connection.send(frame)
        except BrokenPipeError:
            error = self._ended()
            raise Unheard(str(error)) if self.has_rested and not self.is_given_up else error from None

    def _wait_until(self, deadline):
        seconds = left(deadline)
        if seconds == 0:
            raise socket.timeout
        self.connection.settimeout(seconds)

    def _part(self, size, deadline=None):
        """What has come, at most so many bytes; at least one."""
        if deadline is not None:
            self._wait_until(deadline)
        try:
            part = self.connection.recv(size)
        except ConnectionResetError:
            part = None
        if not part:
            raise self._ended()
        return part

    def _fill(self, room, deadline):
        while room:
            if deadline is not None:
                self._wait_until(deadline)
            count = self.connection.recv_into(room)
            if count == 0:
                raise self._ended()
            room = room[count:]

    def give_up(self):
        """Ends a worker that another thread waits for."""
        self.is_given_up = True
        self._shut(socket.SHUT_RDWR)

    def close(self):
        """Ends a worker that cannot be used again. Forked children may have copies of the connection."""
        self._shut(socket.SHUT_RDWR)
        if self.connection is not None:
            self.connection.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _shut(self, how):
        if self.connection is not None:
            try:
                self.connection.shutdown(how)
            except OSError:
                pass  # It has ended.

    def _ended(self):
        """The error for a worker that has ended."""
        if self.is_given_up:
            return TransportError("the pool was closed before the call was answered")
        if self.process is None:
            return TransportError(f"{self.source.path} ended before it answered: standard error says why")
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return ending(self.source.path, code)


def end_all(workers):
    """Lets idle workers end, and ends those that do not."""
    for worker in workers:
        worker._shut(socket.SHUT_WR)
    end = time.monotonic() + PATIENCE
    for worker in workers:
        if worker.is_greeted:
            worker.silence.poll(left(end) * 1000)
        worker.close()

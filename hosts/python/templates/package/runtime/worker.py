# Made by tierup; the same in every package.
"""One process of the pool: a connection that it ends with, even during a call; or pipes if this process started it.

The first 8 bytes are the hash of the interface, or 8 zeros, followed by the reason why there is no process. The process
then answers frames in order. Where pipes are faster than a connection, it makes them.
"""

import io
import os
import select
import socket
import struct
import subprocess
import time

from .built import remedy
from .errors import TransportError
from .limits import closed_before, left
from .programs import ending, give_up, opened

# How long a worker may take to end by itself before it is killed, in seconds.
PATIENCE = 5

# Large enough for a short answer. Python gives back unused parts of the buffer, which takes longer for more.
_CHUNK = 4096

# A request for pipes: its length, and a reserved number in place of a function's.
_PIPES = struct.pack("<II", 4, 0x7FFF_FFFF)


class Unheard(TransportError):
    """The worker, or the companion without having started one, ended before the call, which can be repeated."""


class Worker:
    """The worker must be greeted before it is asked."""

    def __init__(self, source, abi, limits):
        self.source = source
        self.abi = abi
        self.limits = limits
        self.connection = None
        self.process = None
        self.input = self.output = None
        self.is_greeted = False
        # Whether it has been idle since its start.
        self.has_rested = False
        self.is_given_up = False
        # Whether its call was over before it had started. The start continues then.
        self.is_left = False

    def open(self, deadline):
        """Starts it or connects to it, unless that is done."""
        if self.output is not None:
            return
        self.connection, self.process = self.source.connect(deadline)
        self.start_end = time.monotonic() + self.source.patience
        if self.process is not None:
            # A process that another call has started keeps its time.
            self.start_end = self.process.start_end = getattr(self.process, "start_end", self.start_end)
            self._use(self.process.stdin, self.process.stdout)
        else:
            both = io.FileIO(self.connection.fileno(), "r+", closefd=False)
            self._use(both, both)
        if self.is_given_up:
            raise self._ended()

    def _use(self, input, output):
        self.input, self.output = input, output
        self.silence = select.poll()
        self.silence.register(output, select.POLLIN)
        if self.limits.timeout is not None:
            # Writing to a worker that has stopped reading must not block.
            os.set_blocking(input.fileno(), False)
            self.room = select.poll()
            self.room.register(input, select.POLLOUT)

    def greet(self, deadline):
        """Waits until the worker can be called. It is unusable after an exception."""
        if self.is_greeted:
            return
        self.open(deadline)
        end = self.start_end if deadline is None else min(self.start_end, deadline)
        if not self.silence.poll(left(end) * 1000):
            if end == self.start_end:
                raise self._late()
            self.is_left = True
            raise self.limits.waited_too_long()
        hello = self._part(8)
        if len(hello) < 8:
            raise self._ended() if self.process is not None else self._unheard()
        hash_ = struct.unpack("<Q", hello)[0]
        if hash_ == 0:
            raise TransportError(b"".join(iter(lambda: self._part(_CHUNK), b"")).decode("utf-8", "replace"))
        if f"{hash_:016x}" != self.abi:
            raise TransportError(f"{self.source.path} was built for another interface: {remedy()}")
        if self.connection is not None:
            self._use_pipes()
        self.is_greeted = True

    def _late(self):
        return self.limits.started_too_late(self.source.path)

    def _use_pipes(self):
        try:
            self.input.write(_PIPES)
        except OSError as error:
            raise self._unheard() from error
        if not self.silence.poll(left(self.start_end) * 1000):
            raise self._late()
        answer = self._part(_CHUNK)
        if not answer:
            raise self._unheard()
        name = answer[4:]
        if name:
            path = os.path.join(os.path.dirname(self.source.socket), os.fsdecode(name))
            try:
                self._use(opened(path + ".in", "wb"), opened(path + ".out", "rb"))
            except OSError as error:
                # It has ended since it was greeted.
                raise self._unheard() from error

    def ask(self, frame, deadline):
        """Sends a frame and waits for the bytes of its answer. The worker is unusable after an exception."""
        self._send(frame, deadline)
        # One read is enough for a short answer, because the worker writes only answers.
        first = self._read(deadline)
        while len(first) < 4:
            first += self._read(deadline)
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

    def _send(self, frame, deadline):
        rest = frame
        try:
            while True:
                sent = self.input.write(rest)
                if sent == len(rest):
                    return
                if sent is None:
                    self._await(self.room, deadline)
                else:
                    rest = memoryview(rest)[sent:]
        except OSError as error:
            if isinstance(error, TransportError):
                raise
        # If the worker was killed while it was idle, only this write detects it: nobody watches idle workers.
        raise self._unheard() if rest is frame and self.has_rested else self._ended()

    def _read(self, deadline):
        if deadline is not None:
            self._await(self.silence, deadline)
        part = self._part(_CHUNK)
        if not part:
            raise self._ended()
        return part

    def _part(self, most):
        """The bytes that have come; empty at the end."""
        try:
            return self.output.read(most)
        except ConnectionResetError:
            return b""

    def _fill(self, room, deadline):
        while room:
            if deadline is not None:
                self._await(self.silence, deadline)
            count = self.output.readinto(room)
            if not count:
                raise self._ended()
            room = room[count:]

    def _await(self, poll, deadline):
        if not poll.poll(left(deadline) * 1000):
            raise self.limits.took_too_long(": its process was ended")

    def give_up(self):
        """Ends a worker that another thread waits for."""
        self.is_given_up = True
        self._shut(socket.SHUT_RDWR)
        if self.process is not None:
            self.process.kill()

    def close(self):
        """Ends a worker that will not be used again. Forked children may have copies of the connection."""
        if self.is_left and self.process is not None:
            self.source.left.append(self.process)
            return
        self._shut(socket.SHUT_RDWR)
        for file in (self.input, self.output, self.connection):
            if file is not None:
                file.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            give_up(self.process)

    def end(self):
        """Lets an idle worker end by itself."""
        self._shut(socket.SHUT_WR)
        if self.input is not None:
            self.input.close()

    def _shut(self, how):
        if self.connection is not None:
            try:
                self.connection.shutdown(how)
            except OSError:
                pass  # It has ended.

    def _unheard(self):
        """The error for a worker that had ended before it was asked."""
        error = self._ended()
        return error if self.is_given_up else Unheard(str(error))

    def _ended(self):
        """The error for a worker that has ended."""
        if self.is_given_up:
            return closed_before()
        if self.process is None:
            return TransportError(f"{self.source.path} ended before it answered: standard error says why")
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return ending(self.source.path, code)


def end_all(workers):
    """Asks idle workers to end, and ends those that do not."""
    for worker in workers:
        worker.end()
    end = time.monotonic() + PATIENCE
    for worker in workers:
        if worker.is_greeted and worker.input is not worker.output:
            worker.silence.poll(left(end) * 1000)
        worker.close()

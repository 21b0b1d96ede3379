# Made by tierup; the same in every package.
"""One process of the pool.

It writes 8 bytes when it has started, the hash of its interface, and then answers frames in their order. It ends when its
standard input does, so it never outlives this process.
"""

import os
import select
import struct
import subprocess
import threading
import time

from .errors import TransportError
from .limits import left
from .programs import ending, give_up, start

# How long a worker may take to end by itself before it is killed, in seconds.
PATIENCE = 5

_HELLO = 8

_CHUNK = 1 << 16


class Worker:
    """It can be asked once it was greeted."""

    def __init__(self, line, abi, limits):
        self.path = line[0]
        self.abi = abi
        self.limits = limits
        self.is_given_up = False
        self.start_end = time.monotonic() + limits.start
        self.process = start(*line)
        self.input = self.process.stdin
        self.output = self.process.stdout
        self.silence = None
        if hasattr(select, "poll"):
            self.silence = select.poll()
            self.silence.register(self.output, select.POLLIN)
        if limits.timeout is not None:
            # A write to a worker that has stopped reading must not block.
            os.set_blocking(self.input.fileno(), False)
            self.room = select.poll()
            self.room.register(self.input, select.POLLOUT)

    def greet(self):
        """Waits until it has started. After any exception it cannot be used."""
        clock = self._start_clock()
        hello = b""
        try:
            while len(hello) < _HELLO:
                self._await_start()
                chunk = self.output.read(_HELLO - len(hello))
                if not chunk:
                    raise self._not_started()
                hello += chunk
        finally:
            if clock is not None:
                clock.cancel()
        if f"{struct.unpack('<Q', hello)[0]:016x}" != self.abi:
            raise TransportError(f"{self.path} was built for another interface: run `tierup build`")

    def _start_clock(self):
        """A thread that kills a worker which does not start: without poll, nothing else ends a read."""
        if self.silence is not None:
            return None
        clock = threading.Timer(left(self.start_end), self.process.kill)
        clock.daemon = True
        try:
            clock.start()
        except RuntimeError:
            return None  # This process is ending, and its workers with it.
        return clock

    def _await_start(self):
        if self.silence is not None and not self.silence.poll(left(self.start_end) * 1000):
            raise self.limits.started_too_late(self.path)

    def _not_started(self):
        """The error for a worker that has ended, perhaps by the clock, before it said hello."""
        error = self._ended()
        if self.silence is None and not self.is_given_up and left(self.start_end) == 0:
            return self.limits.started_too_late(self.path)
        return error

    def ask(self, frame, deadline):
        """Sends a frame and waits for the bytes of its answer. After any exception the worker cannot be used again."""
        self._send(memoryview(frame), deadline)
        # One read is enough for a short answer, because the worker writes nothing but answers.
        first = self._read(deadline)
        while first is not None and 0 < len(first) < 4:
            more = self._read(deadline)
            if not more:
                raise self._ended()
            first += more
        if not first:
            raise self._ended()
        length = struct.unpack_from("<I", first)[0]
        if len(first) == 4 + length:
            return first[4:]
        if len(first) > 4 + length:
            raise TransportError(f"{self.path} sent an answer without a request")
        answer = bytearray(length)
        have = len(first) - 4
        answer[:have] = first[4:]
        self._fill(memoryview(answer)[have:], deadline)
        return answer

    def _send(self, frame, deadline):
        while frame:
            try:
                count = self.input.write(frame)
            except OSError:
                count = -1
            if count == -1:
                raise self._ended()
            if count is None:
                self._await(self.room, deadline)
            else:
                frame = frame[count:]

    def _read(self, deadline):
        if deadline is not None:
            self._await(self.silence, deadline)
        return self.output.read(_CHUNK)

    def _await(self, poll, deadline):
        if not poll.poll(left(deadline) * 1000):
            raise self.limits.took_too_long(": its process was ended")

    def give_up(self):
        """Kills a worker that another thread waits for."""
        self.is_given_up = True
        self.process.kill()

    def is_usable(self):
        """Whether an idle worker can be taken. It is silent: only its end or a wrong answer can be read."""
        if self.silence is None:
            return self.process.poll() is None
        return not self.silence.poll(0)

    def kill(self):
        """Kills a worker that cannot be used again."""
        self.process.kill()
        self.process.wait()
        give_up(self.process)

    def _fill(self, room, deadline):
        while room:
            if deadline is not None:
                self._await(self.silence, deadline)
            count = self.output.readinto(room)
            if not count:
                raise self._ended()
            room = room[count:]

    def _ended(self):
        """The error for a worker whose pipes are closed. It is killed if it is still alive."""
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        if self.is_given_up:
            return TransportError("the pool was closed before the call was answered")
        return ending(self.path, code)


def end_all(workers):
    """Lets idle workers end, and kills those that do not."""
    for worker in workers:
        worker.input.close()
    end = time.monotonic() + PATIENCE
    for worker in workers:
        try:
            worker.process.wait(left(end))
        except subprocess.TimeoutExpired:
            worker.process.kill()
    for worker in workers:
        worker.kill()

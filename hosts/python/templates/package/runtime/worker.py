# Made by tierup; the same in every package.
"""One process of the pool.

It writes 8 bytes when it starts, the hash of its interface, and then answers frames in their order. It ends when its
standard input does, so it never outlives this process.
"""

import os
import select
import struct
import subprocess

from .errors import TransportError
from .limits import left
from .programs import ending, give_up, start

# How long a worker that was asked to end, or broke off, may take until it is killed.
PATIENCE = 5

_CHUNK = 1 << 16


class Worker:
    def __init__(self, path, abi, limits):
        self.path = path
        self.limits = limits
        self.is_given_up = False
        self.process = start(path, "--tierup-worker", abi)
        self.input = self.process.stdin
        self.output = self.process.stdout
        self.silence = None
        if hasattr(select, "poll"):
            self.silence = select.poll()
            self.silence.register(self.output, select.POLLIN)
        if limits.timeout is not None:
            # Else a write to one that reads no more would wait for ever. One that is answered waits for nothing.
            os.set_blocking(self.input.fileno(), False)
            self.room = select.poll()
            self.room.register(self.input, select.POLLOUT)
        try:
            found = f"{struct.unpack('<Q', self._exactly(8))[0]:016x}"
            if found != abi:
                raise TransportError(f"{path} was built for another interface: run `tierup build`")
        except BaseException:
            self.kill()
            raise

    def ask(self, frame, deadline):
        """Sends a frame and waits for the bytes of its answer. After any exception the worker is of no more use."""
        self._send(memoryview(frame), deadline)
        # One read is enough for a short answer; the worker says nothing that nobody asked for.
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
        """Ends a worker that somebody else still waits for."""
        self.is_given_up = True
        self.process.kill()

    def is_usable(self):
        """Whether an idle worker can be asked. It is silent then: its end can be read, and so can what nobody asked for."""
        if self.silence is None:
            return self.process.poll() is None
        return not self.silence.poll(0)

    def close(self):
        """Lets an idle worker end."""
        self.input.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()

    def kill(self):
        """Ends a worker that is of no more use."""
        self.process.kill()
        self.process.wait()
        give_up(self.process)

    def _exactly(self, length):
        content = bytearray(length)
        self._fill(memoryview(content))
        return content

    def _fill(self, room, deadline=None):
        while room:
            if deadline is not None:
                self._await(self.silence, deadline)
            count = self.output.readinto(room)
            if not count:
                raise self._ended()
            room = room[count:]

    def _ended(self):
        """The error for a worker whose pipes are closed. It may have closed them and live on."""
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        if self.is_given_up:
            return TransportError("the pool was closed before the call was answered")
        return ending(self.path, code)

# Made by tierup; the same in every package.
"""Counts cache hits of `0:memo`. `tierup bench` names a folder in TIERUP_MEMO_COUNTS. Each process writes a file there,
at most ten times a second, with the numbers of calls, hits, entries and bytes."""

import itertools
import os
import threading
import time
from pathlib import Path

# Seconds between two writes.
PAUSE = 0.1

# The size of a file. It is constant, so a reader never sees part of a number.
LENGTH = 96

_opened = itertools.count(1)


class Counts:
    def __init__(self, kept):
        self.kept = kept
        self.folder = os.environ.get("TIERUP_MEMO_COUNTS") or None
        # The file's descriptor, once there is one.
        self.file = None
        self.renew()

    def renew(self):
        """For a forked child, which counts from 0 in a file of its own."""
        # A signal may run code of the server that calls the function again.
        self.lock = threading.RLock()
        self.calls = 0
        self.hits = 0
        self.next = 0
        self.close()

    def close(self):
        file, self.file = self.file, None
        if file is not None:
            os.close(file)

    def note(self, is_hit):
        # Only a benchmark names a folder, and reads the counts.
        if self.folder is None:
            return
        with self.lock:
            self.calls += 1
            self.hits += is_hit
            now = time.monotonic()
            if now < self.next:
                return
            self.next = now + PAUSE
            numbers = f"{self.calls} {self.hits} {len(self.kept.entries)} {self.kept.bytes}"
            try:
                if self.file is None:
                    path = Path(self.folder) / f"{os.getpid()}-{next(_opened)}.counts"
                    self.file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o666)
                os.lseek(self.file, 0, os.SEEK_SET)
                os.write(self.file, f"{numbers:<{LENGTH - 1}}\n".encode())
            except OSError:
                self.folder = None  # The server goes on without.

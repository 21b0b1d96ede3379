# Made by tierup; the same in every package.
"""The answers that `0:memo` keeps. Both their number and their bytes are bounded. The least recently used one is
evicted first."""

import sys
import threading
from collections import OrderedDict

from .limits import whole_number

MOST_ENTRIES = 1000
MOST_BYTES = 64 << 20

# The approximate size of an entry without its key and value.
ENTRY_BYTES = 300


class Kept:
    """Safe for use by many threads."""

    def __init__(self):
        self.most_entries = whole_number("TIERUP_MEMO_ENTRIES") or MOST_ENTRIES
        self.most_bytes = whole_number("TIERUP_MEMO_BYTES") or MOST_BYTES
        # (value, size) by key.
        self.entries = OrderedDict()
        self.bytes = 0
        self.renew()

    def renew(self):
        """For a forked child: a thread that the child does not have may hold the lock, half-way through a change."""
        # Freeing a value, or a signal, may run code of the server that calls the function again.
        self.lock = threading.RLock()
        self.entries = OrderedDict()
        self.bytes = 0

    def get(self, key, default):
        """The value of a key. It is now evicted last."""
        with self.lock:
            entry = self.entries.get(key)
            if entry is None:
                return default
            self.entries.move_to_end(key)
            return entry[0]

    def put(self, key, value, size):
        """Keeps a value, unless it exceeds the bound by itself."""
        size += ENTRY_BYTES + len(key[1])
        with self.lock:
            before = self.entries.pop(key, None)
            if before is not None:
                self.bytes -= before[1]
            if size > self.most_bytes:
                return
            self.entries[key] = (value, size)
            self.bytes += size
            while self.entries and (len(self.entries) > self.most_entries or self.bytes > self.most_bytes):
                _, (_, dropped) = self.entries.popitem(last=False)
                self.bytes -= dropped


def size_of(value):
    """The approximate size of a value in bytes."""
    if isinstance(value, (bytes, bytearray)):
        return len(value)
    if isinstance(value, str):
        return 2 * len(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return 16 + sum(16 + size_of(item) for item in value)
    if isinstance(value, dict):
        return 16 + sum(32 + size_of(key) + size_of(item) for key, item in value.items())
    fields = getattr(value, "__dict__", None)
    return 16 + size_of(fields) if fields else sys.getsizeof(value)

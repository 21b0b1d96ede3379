# Made by tierup; the same in every package.
"""Recorded answers that outlive their process.

`tierup bench` names a folder of the project in TIERUP_RECORDING. The servers that it starts for each block replay the
answers recorded there, instead of doing the work again. The files are pickles.
"""

import os
import pickle
import struct
import threading
from pathlib import Path

ENDING = ".python-answers"


class Recording:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def read(self):
        """All answers so far, as (function's number, key, value)."""
        for path in sorted(self.folder.iterdir()):
            if path.name.endswith(ENDING):
                yield from _records(path.read_bytes())

    def add(self, number, key, value):
        try:
            record = pickle.dumps((number, key, value))
        except Exception:
            return  # A file, a generator and the like: an answer that only this process can give.
        # Each writer has its own file, so that writers neither wait for each other nor mix their records.
        path = self.folder / f"{os.getpid()}-{threading.get_ident()}{ENDING}"
        with path.open("ab") as file:
            file.write(struct.pack("<I", len(record)) + record)


def open_recording():
    """The recording; None if none is wanted or usable."""
    folder = os.environ.get("TIERUP_RECORDING")
    return Recording(folder) if folder else None


def _records(content):
    at = 0
    while at + 4 <= len(content):
        end = at + 4 + struct.unpack_from("<I", content, at)[0]
        if end > len(content):
            return  # Its writer was killed.
        yield pickle.loads(content[at + 4 : end])
        at = end

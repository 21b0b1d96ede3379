"""Packs its folder as a wheel. Arguments: the wheel's file, and the folder with the wheel's metadata.

The same files give the same wheel: they are sorted, and have the earliest time that a zip allows.
"""

import base64
import hashlib
import os
import pathlib
import sys
import zipfile

file, information = sys.argv[1:]
record = []


def add(archive, name, content, mode):
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = mode << 16
    archive.writestr(entry, content)


with zipfile.ZipFile(file, "w") as archive:
    # Metadata goes last, as PEP 427 recommends: tools find it sooner there.
    paths = [path for path in pathlib.Path(".").rglob("*") if path.is_file()]
    for path in sorted(paths, key=lambda path: (path.parts[0] == information, path.parts)):
        content = path.read_bytes()
        add(archive, path.as_posix(), content, 0o100755 if os.access(path, os.X_OK) else 0o100644)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record.append(f"{path.as_posix()},sha256={digest},{len(content)}\n")
    record.append(f"{information}/RECORD,,\n")
    add(archive, f"{information}/RECORD", "".join(record), 0o100644)

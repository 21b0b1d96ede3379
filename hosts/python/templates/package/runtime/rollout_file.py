# Made by tierup; the same in every package.
"""The control file of a rollout inside the process, named by TIERUP_ROLLOUT: plain `key=value` lines."""

import hashlib
import math
import os
import re
import stat

# Longer files are not valid, in bytes.
LONGEST = 4096

_LINE = re.compile(r"([\w-]+)=(.*)", re.ASCII)
_PART = re.compile(r"0?\.[0-9]+|0|1(\.0*)?")


class Control:
    """The content: `candidate`, a row; `shadow` and `share`, from 0 to 1; `is_by_input`; `key`, for the hash of inputs;
    `generation`; `keeps_values`, for calls that differ; `slower`, the tolerated ratio of times, or None; `until`, the expiry, in seconds since 1970."""

    def __init__(self, values):
        self.candidate = values.get("candidate", "")
        if not self.candidate:
            raise ValueError("`candidate` is missing")
        self.shadow = _part(values, "shadow")
        self.share = _part(values, "share")
        self.is_by_input = _one_of(values, "by", "call", "input")
        self.keeps_values = _one_of(values, "keep", "counts", "values")
        self.key = values.get("key")
        self.generation = values.get("generation", "")
        self.slower = _number(values["slower"]) if "slower" in values else None
        if self.slower is not None and not 1 <= self.slower <= 1000:
            raise ValueError("`slower` must be a number from 1 to 1000")
        self.until = _number(values.get("until", "inf"))
        if math.isnan(self.until):
            raise ValueError("`until` must be a number of seconds since 1970")


def read(path):
    """The file's text. It does not wait for anything but a regular file."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ValueError("it is not a file")
        content = os.read(file, LONGEST + 1)
    finally:
        os.close(file)
    if len(content) > LONGEST:
        raise ValueError(f"it has more than {LONGEST} bytes")
    return content.decode("utf-8", "replace")


def parse(text):
    """Raises ValueError if the text is no whole control file. Ignores unknown keys, so newer files can be read."""
    if not text.endswith("\n"):
        raise ValueError("its last line has no end: it may be cut")
    values, before = {}, ""
    for line in text[:-1].split("\n"):
        found = _LINE.fullmatch(line)
        key, value = found.groups() if found else (None, None)
        if "checksum" in values:
            raise ValueError("`checksum` must be its last line")
        if key == "checksum" and value != _checksum_of(before):
            raise ValueError("its checksum does not fit the lines above it")
        before += f"{line}\n"
        if line == "" or line.startswith("#"):
            continue
        if key is None:
            raise ValueError(f"its line {line[:40]!r} is not key=value")
        if key in values:
            raise ValueError(f"it has `{key}` twice")
        values[key] = value
    return Control(values)


def _number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def _part(values, key):
    text = values.get(key, "0")
    if not _PART.fullmatch(text):
        raise ValueError(f"`{key}` must be a number from 0 to 1, such as 0.01, got {text[:40]!r}")
    return float(text)


def _one_of(values, key, usual, other):
    """Whether the value is `other`, the unusual one."""
    text = values.get(key, usual)
    if text not in (usual, other):
        raise ValueError(f"`{key}` must be {usual} or {other}, got {text[:40]!r}")
    return text == other


def _checksum_of(lines):
    """As in the control file of `tierup ramp`. It detects truncated files, not forged ones."""
    return hashlib.sha256(lines.encode()).hexdigest()[:16]

# Made by tierup; the same in every package.
"""What the variants that start processes share: the program, how it is started, how it ended."""

import os
import signal
import subprocess

from .errors import TransportError, Unavailable


def program(context):
    """The program's path; an error where it cannot be run."""
    suffix = ".exe" if os.name == "nt" else ""
    path = str(context.artifact(f"{context.package}{suffix}"))
    if not os.access(path, os.X_OK):
        raise Unavailable(f"{path} cannot be executed")
    return path


def start(path, *line):
    """Starts the program. Its standard error is ours: what it says there is for people, and nobody has to pass it on."""
    try:
        return subprocess.Popen(
            [path, *line],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            # Ctrl-C in a terminal is the server's to answer: it still wants its calls in flight to come back.
            start_new_session=True,
        )
    except OSError as error:
        raise TransportError(f"{path} could not be started: {error}") from error


def ending(path, code):
    """The error for a process that ended without an answer; `code` is that of `Popen.returncode`."""
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return TransportError(f"{path} was ended by {name}")
    return TransportError(f"{path} ended with exit code {code}: standard error has its last words")

"""A normalizer with frames, for `[check]` of the projects here: docs/comparing.md has the frames."""

import sys


def serve(meaning):
    """Reads answers, and writes `meaning` of each, or why it has none, until the end of standard input."""
    read, write = sys.stdin.buffer, sys.stdout.buffer
    while len(length := read.read(4)) == 4:
        body = read.read(int.from_bytes(length, "little"))
        try:
            answer, failed = meaning(body), 0
        except Exception as error:  # the reason is for people
            answer, failed = str(error).encode(), 1
        write.write(bytes([failed]) + len(answer).to_bytes(4, "little") + answer)
        write.flush()

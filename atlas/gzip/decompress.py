"""Reads compressed answers, writes what they decompress to. docs/comparing.md has the frames."""

import gzip
import sys


def main():
    read, write = sys.stdin.buffer, sys.stdout.buffer
    while len(length := read.read(4)) == 4:
        body = read.read(int.from_bytes(length, "little"))
        try:
            answer, failed = gzip.decompress(body), 0
        except Exception as error:  # the reason is for people
            answer, failed = str(error).encode(), 1
        write.write(bytes([failed]) + len(answer).to_bytes(4, "little") + answer)
        write.flush()


if __name__ == "__main__":
    main()

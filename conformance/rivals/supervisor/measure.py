"""Prints what one call of 64 bytes costs in Python at `1:pool`: by a worker of one's own, and by way of a supervisor.
Argument: the supervisor's program."""

import os
import random
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

import conformance
from conformance._interface import ABI, FUNCTIONS
from conformance._tierup.built import artifact

ROUNDS = 41
CALLS = 1500
TEXT = "a text of sixty-four bytes, like a title that becomes an address"
PROGRAM = str(artifact("1:pool", "conformance"))
NUMBER = next(number for number, function in enumerate(FUNCTIONS) if function.name == "echo_text")
LAST = 1 << 31
BODY = struct.pack("<II", NUMBER, len(TEXT)) + TEXT.encode()


def piped(*line):
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def bare(process, frame, length):
    """The least that a client has to do: one write, one read."""
    into, out = process.stdin.fileno(), process.stdout.fileno()

    def call():
        os.write(into, frame)
        answer = os.read(out, 1 << 16)
        assert len(answer) == length and answer.endswith(TEXT.encode()), answer

    return call


def processor_time():
    """Nanoseconds that this process and all below it have run."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass
    ours = {os.getpid()}
    for _ in range(3):
        ours |= {own for own, parent in parents.items() if parent in ours}
    tasks = [task for own in ours for task in Path(f"/proc/{own}/task").glob("*/schedstat")]
    return sum(int(task.read_text().split()[0]) for task in tasks)


def main():
    package = conformance.bind(tier="1:pool")
    worker = piped(PROGRAM, "--tierup-worker", ABI)
    worker.stdout.read(8)
    supervisor = piped(os.path.abspath(sys.argv[1]), PROGRAM, ABI, "2")
    rows = {
        "the package": lambda: package.echo_text(TEXT),
        "a bare worker": bare(worker, struct.pack("<I", len(BODY)) + BODY, 9 + len(TEXT)),
        "a bare supervisor": bare(supervisor, struct.pack("<II", 7, len(BODY) | LAST) + BODY, 13 + len(TEXT)),
    }
    walls, processors = {name: [] for name in rows}, {name: [] for name in rows}
    for round in range(ROUNDS + 1):
        for name in random.sample(list(rows), len(rows)):
            before, start = processor_time(), time.perf_counter()
            for _ in range(CALLS):
                rows[name]()
            wall, after = time.perf_counter() - start, processor_time()
            if round:
                walls[name].append(wall / CALLS * 1e6)
                processors[name].append((after - before) / CALLS / 1e3)
    print("| Python, 64 bytes | us, median | us, least | CPU us | x the package |\n|---|--:|--:|--:|--:|")
    for name in rows:
        ratio = statistics.median(mine / other for mine, other in zip(walls[name], walls["the package"]))
        wall, cpu = statistics.median(walls[name]), statistics.median(processors[name])
        print(f"| {name} | {wall:.1f} | {min(walls[name]):.1f} | {cpu:.1f} | {ratio:.2f} |")
    package.close()
    for process in (worker, supervisor):
        process.stdin.close()
        process.kill()
        process.wait()


main()

#!/usr/bin/env python3
"""Runs the benchmark on two servers between which the difference is known, again and again.

    cargo build --release && cargo build --release -p tierup-bench --examples
    python3 crates/tierup-bench/compare/known_difference.py RUNS SLOWNESS [FILE] [-- OPTIONS OF BENCH…]

SLOWNESS 1 is a server against itself (A/A): the intervals must contain 1. With 1.05 the second server's work takes 5 %
longer. Every run has fresh servers. One line a run: the ratios of throughput and CPU per request with their intervals,
and the verdict. FILE gets the slices of all runs, as `cargo run --release -p tierup-stats --example coverage` reads them.
"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
RELEASE = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "release")
WORK = "/work?rounds=100000"


def server(slowness):
    program = os.path.join(RELEASE, "examples/known_server")
    process = subprocess.Popen([program, "0", str(slowness)], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def measure(slowness, options):
    servers = [server(1.0), server(slowness)]
    try:
        (first, url), (second, vs) = servers
        with tempfile.TemporaryDirectory() as folder:
            command = [os.path.join(RELEASE, "tierup"), "--quiet", "bench", "--url", url + WORK, "--vs", vs]
            command += ["--pid", str(first.pid), "--vs-pid", str(second.pid), "--json", "--output", folder]
            return json.loads(subprocess.run(command + options, check=True, capture_output=True, text=True).stdout)
    finally:
        for process, _ in servers:
            process.terminate()
            process.wait()


def blocks_of(report, row, value):
    blocks = [[value(piece) for piece in block["rows"][row]["closed"]] for block in report["blocks"]]
    return [block for block in blocks if block]


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1 :]
    runs, slowness = int(arguments[0]), float(arguments[1])
    recordings, inside, told = [], {"throughput": 0, "cpu-per-request": 0}, 0
    for number in range(runs):
        report = measure(slowness, options)
        analysis = report["analysis"]
        figures = [column["figure"] for column in analysis["columns"]]
        words = []
        for figure in inside:
            cell = analysis["rows"][1]["cells"][figures.index(figure)]
            low, high = cell["ratio_interval"]
            inside[figure] += low <= 1 <= high
            words.append(f"{figure} {cell['ratio']:.3f} [{low:.3f}, {high:.3f}]")
        verdict = analysis["groups"][0]["verdicts"][0]["verdict"]
        told += verdict in ("pays", "does-not-pay", "mixed")
        busy = report["environment"]["before"]["others"]
        print(f"{number + 1}: {', '.join(words)}, {verdict}; {busy:.2f} processors busy before", flush=True)
        for row in (0, 1):
            label = f"run {number + 1}, row {row + 1}"
            rate = blocks_of(report, row, lambda piece: piece["completed"] / piece["seconds"])
            cpu = blocks_of(report, row, lambda piece: piece["server_cpu"] / max(piece["answered"], 1))
            recordings.append({"label": f"throughput, {label}", "blocks": rate})
            recordings.append({"label": f"CPU per request, {label}", "blocks": cpu})
    print(f"intervals that contain 1: {inside}; told apart: {told} of {runs}")
    if len(arguments) > 2:
        with open(arguments[2], "w") as file:
            json.dump(recordings, file, indent=1)


main()

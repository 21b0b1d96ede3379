#!/usr/bin/env python3
"""Holds tierup's load generator against oha and wrk, in one run, by turns.

    cargo build --release -p tierup-bench --examples
    python3 crates/tierup-bench/compare/generators.py [ROUNDS] [SECONDS]

oha: `cargo install --locked oha`. wrk: Debian's package. All three load the same server, a static answer of 373 bytes
by axum, over 100 connections in a closed loop. Every round runs each of them once, in random order. For each: requests
a second, processor time a request of the generator itself, and the median latency; medians over the rounds with their
quartiles, and the ratio to oha within each round.
"""

import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys

CONNECTIONS = 100
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(os.path.dirname(__file__), "../../../target"))
EXAMPLES = os.path.join(TARGET, "release/examples")


def timed(command):
    """Standard output of a command, and the processor seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tierup(threads):
    def run(url, seconds):
        out, cpu = timed([os.path.join(EXAMPLES, "load"), url, str(seconds), str(CONNECTIONS), str(threads)])
        found = json.loads(out)
        return found["requests_per_second"], cpu / seconds, found["p50_ms"]

    return run


def oha(url, seconds):
    out, cpu = timed(["oha", "--no-tui", "--output-format", "json", "-z", f"{seconds}s", "-c", str(CONNECTIONS), url])
    found = json.loads(out)
    return found["summary"]["requestsPerSec"], cpu / seconds, found["latencyPercentiles"]["p50"] * 1e3


def wrk(url, seconds):
    out, cpu = timed(["wrk", "--latency", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", url])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    value, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", out).groups()
    return rate, cpu / seconds, float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def spread(values, digits):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:,.{digits}f} [{low:,.{digits}f}, {high:,.{digits}f}]"


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    generators = {"tierup, 1 thread": tierup(1), "tierup, 2 threads": tierup(2), "oha": oha, "wrk": wrk}
    for program in ["oha", "wrk"]:
        if shutil.which(program) is None:
            sys.exit(f"{program} is not on PATH; the head of this file says how to get it")
    server = subprocess.Popen([os.path.join(EXAMPLES, "known_server")], stdout=subprocess.PIPE, text=True)
    results = {name: [] for name in generators}
    try:
        url = server.stdout.readline().strip() + "/"
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
            for name in random.sample(list(generators), len(generators)):
                rate, cpu, median = generators[name](url, seconds)
                results[name].append((rate, cpu / rate * 1e6, median))
    finally:
        server.terminate()
        server.wait()
    load = os.getloadavg()[0]
    print(f"{rounds} rounds of {seconds} s, {CONNECTIONS} connections, {os.cpu_count()} processors, load {load:.1f}\n")
    print("| generator | req/s | x oha | CPU us a request | x oha | p50 ms | x wrk |")
    print("|---|---|---|---|---|---|---|")
    for name, rows in results.items():
        ratio = lambda index, other: [row[index] / theirs[index] for row, theirs in zip(rows, results[other])]
        print(
            f"| {name} | {spread([row[0] for row in rows], 0)} | {spread(ratio(0, 'oha'), 2)} "
            f"| {spread([row[1] for row in rows], 2)} | {spread(ratio(1, 'oha'), 2)} "
            f"| {spread([row[2] for row in rows], 2)} | {spread(ratio(2, 'wrk'), 2)} |"
        )


main()

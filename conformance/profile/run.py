#!/usr/bin/env python3
"""How true the sensors of `tierup profile` are: five functions of known cost in each host, profiled several times.

Each server measures the CPU of its functions and of its processes itself. A run compares these shares with those that
`tierup profile` finds. Prints a table for each host, and exits with 1 if a share that the sensor can see is more than
3 points off in any run.

    conformance/profile/run.py [--runs 10] [--seconds 6] [--tierup target/release/tierup] [HOST ...]

Python needs py-spy on PATH, Ruby needs stackprof, PHP needs excimer. Go and Elixir need a C compiler.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
POINTS = 3.0
HOSTS = {
    "node": (["light", "awaited", "inWorker", "small", "native"], ["--command", "node server.js"]),
    "python": (["light", "awaited", "in_worker", "small", "native"], ["--command", "python3 server.py"]),
    "ruby": (["light", "awaited", "in_worker", "small", "native"], ["--command", "ruby server.rb"]),
    "php": (["light", "awaited", "in_worker", "small", "native"], ["--command", "php server.php"]),
    "go": (
        ["light", "awaited", "inWorker", "small", "native"],
        ["--command", "./server", "--prepare", "go build -o server ."],
    ),
    "java": (
        ["light", "awaited", "inWorker", "small", "nativeCode"],
        ["--command", "java -cp classes Server", "--prepare", "javac -d classes Server.java"],
    ),
    "beam": (
        ["light", "awaited", "in_worker", "small", "native"],
        ["--command", "elixir -pa ebin -e Server.main", "--prepare", "sh build.sh"],
    ),
}
# The functions that a sensor cannot see, and why; docs/profile.md tells users.
BLIND = {
    ("python", "native"): "zlib lets the GIL go",
    ("beam", "native"): "a NIF shows where its process goes on",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hosts", nargs="*", metavar="HOST", help="all by default")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=6, help="of each run")
    parser.add_argument("--tierup", default=str(HERE.parents[1] / "target/release/tierup"))
    options = parser.parse_args()
    unknown = set(options.hosts) - set(HOSTS)
    if unknown:
        parser.error(f"there is no host {', '.join(sorted(unknown))}; the hosts are {', '.join(HOSTS)}")
    tierup = shutil.which(options.tierup)
    if tierup is None:
        parser.error(f"there is no program {options.tierup}: build it, or name it with --tierup")
    tierup = str(Path(tierup).resolve())
    near = True
    for host in options.hosts or HOSTS:
        near &= measured(host, tierup, options.runs, options.seconds)
    sys.exit(0 if near else 1)


def measured(host, tierup, runs, seconds):
    """Profiles a host's server and prints its table. Returns whether all shares are near the true ones."""
    names, command = HOSTS[host]
    true, found, rest, slower = [], [], [], []
    for number in range(runs):
        print(f"{host}: run {number + 1} of {runs}", file=sys.stderr, flush=True)
        truth, profile = run(host, tierup, command, seconds)
        true.append(truth)
        shares = {short(function["function"]): function["owned"]["value"] for function in profile["functions"]}
        found.append([100 * shares.get(name, 0.0) for name in names])
        rest.append({row["what"]: 100 * row["self"]["value"] for row in profile["rest"]})
        cost = (profile.get("sensor") or {}).get("cpu_per_request")
        slower.append(100 * (cost["value"] - 1) if cost else None)
    print(f"\n{host}, {runs} runs of {seconds} s\n")
    print("| function | true share, mean | found share, mean | error, mean | error, worst | within 3 points |")
    print("|---|---|---|---|---|---|")
    near = True
    for place, name in enumerate(names):
        errors = [one[place] - other[place] for one, other in zip(found, true)]
        worst = max(errors, key=abs)
        blind = BLIND.get((host, name))
        verdict = "yes" if abs(worst) <= POINTS else f"not seen: {blind}" if blind else "NO"
        near &= verdict != "NO"
        means = [mean(of[place] for of in true), mean(of[place] for of in found), mean(errors)]
        print("| {} | {:.1f} % | {:.1f} % | {:+.1f} | {:+.1f} | {} |".format(name, *means, worst, verdict))
    print()
    for what in sorted({what for one in rest for what in one}):
        share = mean(one.get(what, 0.0) for one in rest)
        if share >= 0.5:
            print(f"{what}: {share:.1f} %")
    known = [one for one in slower if one is not None]
    if known:
        print(f"CPU a request with the sensor: {mean(known):+.1f} % [{min(known):+.1f}, {max(known):+.1f}]")
    sys.stdout.flush()
    return near


def run(host, tierup, command, seconds):
    """Profiles the server once, in a copy of its folder. Returns the shares in percent that it measured itself, and the profile."""
    with tempfile.TemporaryDirectory(prefix="tierup-five-") as folder:
        folder = Path(folder)
        shutil.copytree(HERE / host, folder / "server")
        truth, output = folder / "truth", folder / "profile.json"
        profile = [tierup, "profile", *command, "--host", host, "--requests", str(HERE / "requests.http")]
        profile += ["--duration", f"{seconds}s", "--format", "json", "--output", str(output)]
        done = subprocess.run(
            profile, cwd=folder / "server", env={**os.environ, "TRUTH": str(truth)}, capture_output=True, text=True
        )
        if done.returncode != 0:
            sys.exit(f"{' '.join(profile)}\n{done.stdout}{done.stderr}")
        lines = [[int(number) for number in line.split()] for line in truth.read_text().splitlines()]
        return shares(of_first(lines), seconds), json.loads(output.read_text())


def of_first(lines):
    """The lines of the first server: for some hosts, tierup starts a second one for single requests, whose counts begin at 0."""
    again = [place for place in range(1, len(lines)) if lines[place][1] < lines[place - 1][1]]
    return lines[: again[0]] if again else lines


def shares(lines, seconds):
    """Each function's share in percent, from the end of the warm-up, which is an eighth of the time, to the last line."""
    began = next(line for line in lines if sum(line[2:]) > 0)[0]
    first = next(line for line in lines if line[0] >= began + 1000 * seconds / 8)
    cpu, *spent = (after - before for before, after in zip(first[1:], lines[-1][1:]))
    return [100 * one / cpu for one in spent]


def short(function):
    """A function's name without its module, and in Elixir without the number of its arguments."""
    return function.split(".")[-1].split("/")[0]


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


if __name__ == "__main__":
    main()

"""What the fingerprint costs the Rust server: CPU per request with `?fingerprint=md5` and without, by turns.

Usage: python3 compare/fingerprint.py TIERUP [ROUNDS]

TIERUP is the program (target/release/tierup); `tierup build . --tiers 4` has been run. Prints the ratio of the two with its
95 % interval (Student's t on the logarithms of the rounds' ratios), and the server's memory before and after.
"""

import json
import math
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent
BODY = (
    '{"name":"page_{{$random.alphanumeric(12)}}","variants":[{"name":"blue","allocation_percent":50.0},'
    '{"name":"red","allocation_percent":50.0}]}'
)
# Student's t, two-sided 95 %, by degrees of freedom.
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 11: 2.20, 14: 2.14, 19: 2.09}


def memory(pid):
    """Resident memory in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def measure(tierup, address, pid, requests, output):
    """CPU microseconds per request, and how many requests there were."""
    command = [tierup, "bench", "--url", address, "--pid", str(pid), "--requests", requests, "--duration", "6s"]
    command += ["--blocks", "2", "--json", "--quiet", "--output", output]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cpu = answered = 0
    for block in json.loads(done.stdout)["blocks"]:
        for row in block["rows"]:
            for part in row["closed"]:
                cpu += part["server_cpu"]
                answered += part["answered"]
    return cpu / answered, answered


def main():
    tierup = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([FOLDER / ".tierup/bin/experiments-server"], env=os.environ | {"PORT": str(port)})
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for name, query in [("plain", ""), ("md5", "?fingerprint=md5")]:
                files[name] = os.path.join(folder, f"{name}.http")
                text = f"POST {address}/experiments{query}\nContent-Type: application/json\n\n{BODY}\n"
                pathlib.Path(files[name]).write_text(text)
            measure(tierup, address, server.pid, files["plain"], folder)
            before, total, ratios = memory(server.pid), 0, []
            for number in range(rounds):
                order = ["plain", "md5"] if number % 2 else ["md5", "plain"]
                found = {}
                for name in order:
                    found[name], answered = measure(tierup, address, server.pid, files[name], folder)
                    total += answered
                ratios.append(found["md5"] / found["plain"])
                print(f"plain {found['plain']:.2f} us, md5 {found['md5']:.2f} us a request", flush=True)
        logs = [math.log(ratio) for ratio in ratios]
        middle = statistics.mean(logs)
        half = T95.get(rounds - 1, 1.96) * statistics.stdev(logs) / math.sqrt(rounds)
        low, high = math.exp(middle - half), math.exp(middle + half)
        print(f"md5 costs {math.exp(middle):.3f}x [{low:.3f}, {high:.3f}] the CPU of plain")
        print(f"memory {before:.1f} MiB, after {total:,} requests more {memory(server.pid):.1f} MiB")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()

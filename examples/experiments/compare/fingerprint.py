"""What the fingerprint costs the Rust server: CPU per request with `?fingerprint=md5` and without, by turns.

Usage: python3 compare/fingerprint.py [ROUNDS]

`tierup build . --tiers 4` has been run, and wrk is there (Debian's package `wrk`). A round is three seconds of each, in random order, on
one server that runs all the time: what else the machine does hits both alike. The server has one thread on one
processor, and wrk has another: how many requests a thread finds waiting when it wakes, which depends on who else runs
there, moves the cost of a request more than any digest does. Prints the ratio of the two with its 95 % interval
(Student's t on the logarithms of the rounds' ratios), and the server's memory before and after.
"""

import math
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent
CONNECTIONS = 3000
SLICE = "3s"
# Another name with each request.
SCRIPT = """
local count = 0
request = function()
  count = count + 1
  local body = string.format('{"name":"page_%012d","variants":[{"name":"blue","allocation_percent":50.0},' ..
    '{"name":"red","allocation_percent":50.0}]}', count)
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
"""


# The server's processor and the generator's: two of those that this process may use.
SERVER, *_, GENERATOR = sorted(os.sched_getaffinity(0))


def only_on(processor):
    return lambda: os.sched_setaffinity(0, {processor})


def memory(pid):
    """Resident memory in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def processor(pid):
    """Microseconds on a processor so far, of all threads: in nanoseconds there, where `stat` has ticks of 10 ms."""
    threads = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1000


def measure(address, pid, script):
    """CPU microseconds per request, and how many requests there were."""
    before = processor(pid)
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SLICE}", "-s", script, address]
    output = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=only_on(GENERATOR)).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"requests failed:\n{output}")
    answered = int(re.search(r"(\d+) requests in", output)[1])
    return (processor(pid) - before) / answered, answered


def interval(ratios):
    """The geometric mean with its 95 % interval. Of 30 rounds and more, t is close to its limit."""
    logs = [math.log(ratio) for ratio in ratios]
    middle, half = statistics.mean(logs), 2.05 * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    if rounds < 30:
        sys.exit("30 rounds at least")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"PORT": str(port), "TIERUP_WORKERS": "1"}
    program = FOLDER / ".tierup/bin/experiments-server"
    server = subprocess.Popen([program], env=environment, preexec_fn=only_on(SERVER))
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        plain = f"http://127.0.0.1:{port}/experiments"
        addresses = {"plain": plain, "md5": f"{plain}?fingerprint=md5"}
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(SCRIPT)
            script.flush()
            for address in addresses.values():
                measure(address, server.pid, script.name)
            before, total, costs = memory(server.pid), 0, {"plain": [], "md5": []}
            for number in range(rounds):
                for name in random.sample(list(addresses), 2):
                    cost, answered = measure(addresses[name], server.pid, script.name)
                    costs[name].append(cost)
                    total += answered
                if number % 10 == 9:
                    last = {name: statistics.median(all_costs[-10:]) for name, all_costs in costs.items()}
                    told = f"plain {last['plain']:.2f} us, md5 {last['md5']:.2f} us, {memory(server.pid):.1f} MiB"
                    print(f"round {number + 1}, {total:,} requests: {told}", flush=True)
        ratio, low, high = interval([md5 / plain for md5, plain in zip(costs["md5"], costs["plain"])])
        print(f"md5 costs {ratio:.3f}x [{low:.3f}, {high:.3f}] the CPU of plain")
        print(f"memory {before:.1f} MiB, after {total:,} requests more {memory(server.pid):.1f} MiB")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()

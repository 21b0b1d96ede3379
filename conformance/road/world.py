"""A rollout to be attacked: control, candidate and twin, `tierup shadow`, `tierup ramp`, and what ordinary people ask.

All requests come from 127.0.0.1, which is a trusted proxy, and `X-Forwarded-For` ends with the client's own address, as behind a load
balancer that appends it. What a client forges stands before it.
"""
import asyncio
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class World:
    """The processes and files of one ramp. Leaving the context ends each process by its id."""

    def __init__(self, tierup, steps=None, is_bad=False, shadow=(), faked=None, is_private=False):
        self.folder = tempfile.TemporaryDirectory(prefix="tierup-road-")
        self.state = pathlib.Path(self.folder.name, "state")
        self.port, *servers = [free_port() for _ in range(4)]
        self.processes = []
        self.people_are = "10.1" if is_private else "203.0"
        self.clocks = {name: pathlib.Path(self.folder.name, f"{name}-clock") for name in ("shadow", "ramp")} if faked else {}
        self.faked = faked
        for name, port in zip(("control", "candidate", "twin"), servers):
            self.start(name, sys.executable, HERE / "server.py", name, port, *(["bad"] if is_bad and name == "candidate" else []))
        urls = [f"http://127.0.0.1:{port}" for port in servers]
        self.start_shadow = lambda: self.start(
            "shadow", tierup, "shadow", "--control", urls[0], "--candidate", urls[1], "--twin", urls[2], "--listen",
            f"127.0.0.1:{self.port}", "--state", self.state, "--sticky", "cookie:session", "--trusted-proxies", "127.0.0.1/32", *shadow)
        self.shadow = self.start_shadow()
        self.ramp = steps and self.start(
            "ramp", tierup, "ramp", "--state", self.state, "--steps", steps, "--hold", "5s", "--tolerated", "10%")

    def start(self, name, *command):
        log = open(pathlib.Path(self.folder.name, name), "ab")
        environment = dict(os.environ)
        if name in self.clocks:
            self.clocks[name].write_text("+0")
            environment |= {"LD_PRELOAD": self.faked, "FAKETIME_TIMESTAMP_FILE": str(self.clocks[name]), "FAKETIME_NO_CACHE": "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        process = subprocess.Popen([str(word) for word in command], env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    async def ready(self):
        """Waits until the proxy answers, and control behind it."""
        for _ in range(300):
            try:
                if (await self.ask("GET", "/items/0", "192.0.2.1")).startswith(b"HTTP/1.1 200"):
                    return
            except (OSError, asyncio.IncompleteReadError):
                pass
            await asyncio.sleep(0.1)
        raise SystemExit("the proxy does not answer: " + pathlib.Path(self.folder.name, "shadow").read_text())

    def decisions(self):
        try:
            return [json.loads(line) for line in (self.state / "decisions.jsonl").read_text().splitlines()]
        except FileNotFoundError:
            return []

    def why(self, last=8):
        """The last lines that the judge has printed."""
        return "\n".join(pathlib.Path(self.folder.name, "ramp").read_text().splitlines()[-last:])

    def head(self, method, target, address, key=None, forged="", headers=()):
        cookie = [f"Cookie: session={key}"] if key else []
        forwarded = f"X-Forwarded-For: {forged + ', ' if forged else ''}{address}"
        return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: example.org", *headers, forwarded, *cookie, "", ""]).encode()

    async def ask(self, method, target, address, key=None, leave=None, body=b"", patience=30, **more):
        """One request on a connection of its own: the answer's first bytes, or nothing if the client `leave`s after so many seconds."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(self.head(method, target, address, key, **more) + body)
            return await asyncio.wait_for(reader.read(4096), leave or patience)
        except (asyncio.TimeoutError, ConnectionError):
            return b""
        finally:
            # Resets the connection, as a client that is gone does. A normal close would first wait for unread bytes.
            writer.transport.abort()

    async def people(self, per_second=80, people=300, until=None):
        """Ordinary traffic: each has an address and a key, keeps a connection, and a few ask far more than others. One in 200 requests
        fails, at whichever server, and one in 200 is given up."""
        waiting = set()
        while until is None or not until():
            one = min(int(random.paretovariate(0.6)), people)
            task = asyncio.ensure_future(self.person(one))
            waiting.add(task)
            task.add_done_callback(waiting.discard)
            await asyncio.sleep(random.expovariate(per_second))

    async def person(self, one):
        address, key = f"{self.people_are}.{one >> 8}.{one & 255}", f"person-{one}"
        chance = random.random()
        try:
            if chance < 0.005:
                return await self.ask("GET", "/fail", address, key)
            if chance < 0.01:
                return await self.ask("GET", "/rest?ms=1500", address, key, leave=random.choice((0.3, 1.2)))
            target = f"/items/{random.randrange(500)}" if chance < 0.9 else f"/search?ms={random.randrange(30)}"
            await self.ask("GET", target, address, key)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        self.folder.cleanup()


def memory(process, key="VmHWM"):
    """The memory of a process in MiB: its peak, or with `VmRSS` the present size."""
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def machine():
    cores = os.cpu_count()
    model = next((line.split(": ")[1] for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{cores} x {model}, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}"

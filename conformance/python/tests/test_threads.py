"""Calls in threads, after a fork, in servers with workers, and in processes that are about to end."""

import contextlib
import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

import conformance
from processes import wait_until

HERE = Path(__file__).parent
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def run(script, tier, *arguments):
    """A script's standard output."""
    head = f"import conformance, os, sys, threading, time\nTIER = {tier!r}\n"
    ended = subprocess.run(
        [sys.executable, "-c", head + script, *arguments], capture_output=True, text=True, timeout=120, cwd=HERE
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize("tier", ["2:core", "3:native", "3:async", "1:pool"])
def test_calls_that_never_come_back_hold_up_nobody(tier, monkeypatch):
    """They hold up neither Python nor other calls. The switch interval is so long that a thread keeps the interpreter's lock until it
    waits for something, or releases the lock in Rust. So this thread continues when a call hangs in Rust without the lock; if the call
    kept the lock, this thread would never continue."""
    monkeypatch.setenv("TIERUP_WORKERS", "3")
    script = """
c = conformance.bind(tier=TIER)
c.ready()
sys.setswitchinterval(1000)
def hang(begun):
    begun.set()
    c.hang_on("really")
threads = []
for _ in range(2):
    begun = threading.Event()
    threads.append(threading.Thread(target=hang, args=(begun,), daemon=True))
    threads[-1].start()
    begun.wait()
# Two calls run at the same time, and a third is answered.
assert c.echo_text("meanwhile") == "meanwhile"
assert c.churn(1, 1000) == c.churn(1, 1000)
assert all(thread.is_alive() for thread in threads)
print("ran", flush=True)
os._exit(0)
"""
    assert run(script, tier) == "ran\n"


@pytest.mark.parametrize("tier", ["3:native", "3:async"])
def test_python_runs_during_a_call_of_text_alone(tier):
    """A call that has only text is not encoded. As above, the other thread counts during the call or not at all. A
    single call may be over before the other thread has woken up, but not all of 200 calls."""
    script = """
c = conformance.bind(tier=TIER)
sys.setswitchinterval(1000)
count = 0
def count_on():
    global count
    while True:
        count += 1
        time.sleep(0)
threading.Thread(target=count_on, daemon=True).start()
text = "x" * (4 << 20)
for attempt in range(200):
    before = count
    c.echo_text(text)
    if count != before:
        break
else:
    sys.exit("nothing else ran during 200 calls")
print("ran", flush=True)
os._exit(0)
"""
    assert run(script, tier) == "ran\n"


def test_the_pool_serves_on_when_the_main_thread_is_through(monkeypatch):
    """When the main thread ends, CPython ends the threads of executors, and Linux the processes that such a thread has started."""
    monkeypatch.setenv("TIERUP_WORKERS", "2")
    script = """
c = conformance.bind(tier=TIER)
assert c.echo_text("before") == "before"
first = c.count_calls()
def serve():
    threading.main_thread().join()
    time.sleep(0.5)
    again = c.count_calls()
    # The second worker is started only now.
    c.ready()
    print(again - first, c.echo_text("after"), flush=True)
threading.Thread(target=serve).start()
"""
    assert run(script, "1:pool") == "1 after\n"


def test_the_event_loop_runs_while_rust_does_in_a_thread():
    script = """
import asyncio
c = conformance.bind(tier=TIER)
async def main():
    hanging = asyncio.create_task(c.hang_on_async("really"))
    await asyncio.sleep(0.3)
    assert await c.echo_text_async("meanwhile") == "meanwhile" and not hanging.done()
    print("ran", flush=True)
    os._exit(0)
asyncio.run(main())
"""
    assert run(script, "3:async") == "ran\n"


def test_short_lived_threads_share_a_binding(c, tier):
    expected = c.churn(1, 1000)
    answers = []
    # There are more threads than workers, and they end after a call or two. A worker must not end with a thread that used it.
    for _ in range(20 if tier != "1:spawn" else 3):
        threads = [threading.Thread(target=lambda: answers.append(c.churn(1, 1000))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(answers) % 8 == 0 and set(answers) == {expected}


@posix
def test_a_forked_child_has_what_its_parent_had(tier):
    """This holds even if the fork comes while another thread of the parent is in a call."""
    script = """
c = conformance.bind(tier=TIER)
assert c.echo_text("before") == "before"
stop = threading.Event()
def busy():
    while not stop.is_set():
        assert c.echo_text("busy") == "busy"
threads = [threading.Thread(target=busy) for _ in range(4)]
for thread in threads: thread.start()
for number in range(10):
    child = os.fork()
    if child == 0:
        try:
            right = all(c.echo_text(f"child {n}") == f"child {n}" for n in range(5))
            try:
                c.panic_with("x")
                right = False
            except conformance.PanicError:
                pass
            os._exit(0 if right else 1)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
stop.set()
for thread in threads: thread.join()
assert c.echo_text("after") == "after"
c.close()
print("ran")
"""
    assert run(script, tier) == "ran\n"


@posix
@pytest.mark.parametrize("kind", ["uvicorn", "gunicorn"])
def test_servers_with_workers(tier, kind, tmp_path):
    """Uvicorn starts new processes as workers; gunicorn with `preload` forks them."""
    port = str(free_port())
    log = tmp_path / "log"
    command = {
        "uvicorn": ["uvicorn", "applications:asgi", "--workers", "2", "--port", port, "--log-level", "warning"],
        "gunicorn": ["gunicorn", "applications:wsgi", "--preload", "--workers", "2", "--threads", "4", "--bind", f"127.0.0.1:{port}"],
    }[kind]
    environment = {**os.environ, "TIERUP_TIER": tier, "TIERUP_WORKERS": "1"}
    with log.open("w") as output:
        server = subprocess.Popen([sys.executable, "-m", *command], cwd=HERE, env=environment, stdout=output, stderr=output)
    try:
        answers = set()
        deadline = time.monotonic() + 60
        # Both workers must have answered.
        while len(answers) < 2 and time.monotonic() < deadline and server.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as response:
                    answer, pid = response.read().decode().split()
            except OSError:
                time.sleep(0.1)
                continue
            assert answer == "oknurof", log.read_text()
            answers.add(pid)
        assert len(answers) == 2, log.read_text()
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
            raise
    wait_until(lambda: not orphans(), "workers outlive their server")


def test_an_idle_package_does_not_keep_its_process_alive(tier):
    assert run("print(conformance.bind(tier=TIER).echo_text('ended'))", tier) == "ended\n"


def orphans():
    """Workers whose parent is gone."""
    lines = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if line.split(None, 1)[0] == "1" and "python/src/conformance/artifacts/conformance --tierup" in line]


def free_port():
    """A port below those that the system gives to clients: a client's connection could take such a port before the server listens."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port

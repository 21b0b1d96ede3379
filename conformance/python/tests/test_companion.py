"""`1:pool`: what the package does if a worker does not start, or if a worker or the companion, which starts the workers, ends.

When workers are started is tested in `crates/tierup-codegen/tests/companion/`.
"""

import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import conformance
from processes import programs, wait_until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix sockets")

ARTIFACT = Path(conformance.__file__).parent / "artifacts/conformance"

def test_calls_that_have_a_worker_do_not_learn_that_another_did_not_start(tmp_path):
    """Only the first worker starts."""
    package = tmp_path / "conformance"
    shutil.copytree(Path(conformance.__file__).parent, package)
    shutil.copy(Path(__file__).parents[2] / ".tierup/python/built.json", package)
    program = package / "artifacts/conformance"
    program.rename(f"{program}.real")
    program.write_text("""#!/bin/bash
[ "$1" = --tierup-companion ] && exec -a "$0" "$0.real" "$@"
mkdir "$0.started" 2>/dev/null || { sleep 0.5; exit 2; }
exec "$0.real" "$@"
""")
    program.chmod(0o755)
    code = """
import conformance
from concurrent.futures import ThreadPoolExecutor
c = conformance.bind(tier="1:pool")
with ThreadPoolExecutor(20) as threads:
    print(set(threads.map(lambda n: c.echo_text(f"call {n}"), range(20))) == {f"call {n}" for n in range(20)})
try:
    c.ready()
except conformance.TransportError as error:
    print(error)
c.close()
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "TIERUP_WORKERS": "2"}
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", code]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, f"True\n{program} ended with exit code 2: standard error has its last words\n"), ended.stderr


def test_the_companion_is_started_anew_and_its_workers_live_on():
    with conformance.bind(tier="1:pool") as c:
        c.ready()
        workers = set(programs(mark="--tierup-connection"))
        kill(*programs(mark="--tierup-companion"))
        assert c.echo_text("a") == "a"
        kill(*workers)
        wait_until(lambda: not any(map(lives, workers)), "a worker lives on")
        # No call goes to a worker that has ended.
        for number in range(len(workers)):
            assert c.echo_text(str(number)) == str(number)
        c.ready()
        assert len(programs(mark="--tierup-companion")) == 1
        assert len(programs(mark="--tierup-connection")) == len(workers)
    wait_until(lambda: not programs(), "a process outlives its binding")


def test_kills_at_random_lose_calls_but_give_no_wrong_answer():
    """Workers and companions are killed."""
    stop, outcomes = threading.Event(), []

    def call(number):
        while not stop.is_set():
            try:
                text = f"{number} {len(outcomes)}"
                assert c.echo_text(text) == text
                outcomes.append("")
            except conformance.TransportError as error:
                outcomes.append(str(error))

    with conformance.bind(tier="1:pool") as c, ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(call, number) for number in range(4)]
        try:
            for number in range(20):
                before = outcomes.count("")
                mark = "--tierup-companion" if number % 4 == 3 else "--tierup-connection"
                kill(*programs(mark=mark)[:1])
                wait_until(lambda before=before: outcomes.count("") > before, "no call is answered any more")
        finally:
            stop.set()
        for one in calls:
            one.result()
        assert c.echo_text("after") == "after"
    wait_until(lambda: not programs(), "a process outlives its binding")


def test_a_forked_child_uses_its_parents_companion_while_there_is_one():
    with conformance.bind(tier="1:pool") as c:
        c.ready()
        for parent_has_one in (True, False):
            if not parent_has_one:
                kill(*programs(mark="--tierup-companion"))
                wait_until(lambda: not programs(mark="--tierup-companion"), "the companion lives on")
            child = os.fork()
            if child == 0:
                right = c.echo_text("x") == "x" and bool(programs(mark="--tierup-companion")) is not parent_has_one
                c.close()
                os._exit(0 if right and not programs() else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert c.echo_text("parent") == "parent"


def test_a_companion_that_somebody_else_has_started(monkeypatch, tmp_path):
    path = tmp_path / "own.sock"
    monkeypatch.setenv("TIERUP_POOL_SOCKET", str(path))
    with conformance.bind(tier="1:pool") as c:
        with pytest.raises(conformance.TransportError, match="nobody listens on .*own.sock .TIERUP_POOL_SOCKET.: does its"):
            c.echo_text("early")
        with subprocess.Popen([ARTIFACT, "--tierup-listen", path, conformance._interface.ABI]) as companion:
            try:
                wait_until(path.exists, "it does not listen")
                c.ready()
                assert c.echo_text("x") == "x"
                assert not programs(mark="--tierup-companion")
            finally:
                companion.kill()


def test_a_worker_that_ends_while_it_is_greeted_is_an_error_of_tierups(monkeypatch, tmp_path):
    path = tmp_path / "own.sock"
    monkeypatch.setenv("TIERUP_POOL_SOCKET", str(path))
    hello = struct.pack("<Q", int(conformance._interface.ABI, 16))
    with socket.create_server(str(path), family=socket.AF_UNIX) as listener, conformance.bind(tier="1:pool") as c:

        def greet(connection):
            # The worker stops reading before the package writes to it.
            connection.shutdown(socket.SHUT_RD)
            connection.sendall(hello)
            connection.close()

        with ThreadPoolExecutor(1) as threads:
            listener.settimeout(60)
            greeted = threads.submit(lambda: [greet(listener.accept()[0]) for _ in range(2)])
            with pytest.raises(conformance.TransportError, match="ended before it answered"):
                c.echo_text("x")
            greeted.result()


def lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def kill(*processes):
    for process in processes:
        # The process may have ended already.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

"""`1:pool`: the companion that starts its workers, and what the package does when a start, a worker or the companion fails.

The rules of starts are the companion's own: `crates/tierup-codegen/tests/companion/`.
"""

import os
import shutil
import signal
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

HELP = """
import conformance, os, threading, time
from conformance import *
from pathlib import Path
def outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
def starts(): return len(list(Path(conformance.__file__).parent.glob("artifacts/conformance-*")))
def wait_for(count):
    while starts() < count: time.sleep(0.01)
c = bind(tier="1:pool")
"""


def check(folder, orders, code, *lines, **environment):
    """Runs code with a package whose first workers carry out these lines of a shell before they start, one each; all that
    follow carry out the last."""
    package = folder / "src/conformance"
    shutil.copytree(Path(conformance.__file__).parent, package)
    program = package / "artifacts/conformance"
    program.rename(package / "artifacts/real")
    program.write_text(f"""#!/bin/bash
[ "$1" = --tierup-companion ] && exec -a "$0" "${{0%/*}}/real" "$@"
n=1; while ! mkdir "$0-$n" 2>/dev/null; do n=$((n+1)); done
case $n in {" ".join(f"{number}) {order};;" for number, order in enumerate(orders[:-1], 1))} *) {orders[-1]};; esac
exec "${{0%/*}}/real" "$@"
""")
    program.chmod(0o755)
    shutil.copy(Path(__file__).parents[2] / ".tierup/python/built.json", package)
    ended = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", HELP + code],
        env={**os.environ, "PYTHONPATH": str(folder / "src"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [line.format(program=program) for line in lines]


def test_a_failed_start_is_told_and_the_next_call_is_answered(tmp_path):
    code = 'print(outcome(c.echo_text, "a"))\nprint(outcome(c.echo_text, "b"))\nc.close()'
    refused = "TransportError: {program} ended with exit code 2: standard error has its last words"
    check(tmp_path, ["exit 2", ":"], code, refused, "b", TIERUP_WORKERS="1")


def test_calls_that_have_a_worker_do_not_learn_that_another_did_not_start(tmp_path):
    code = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(20) as threads:
    print(set(threads.map(lambda n: c.echo_text(f"call {n}"), range(20))) == {f"call {n}" for n in range(20)})
print(outcome(c.ready))
c.close()
"""
    refused = "TransportError: {program} ended with exit code 2: standard error has its last words"
    check(tmp_path, [":", "sleep 0.5; exit 2"], code, "True", refused, TIERUP_WORKERS="2")


def test_a_start_that_hangs_holds_up_no_call_while_another_worker_is_free(tmp_path):
    code = """
first = threading.Thread(target=lambda: outcome(c.echo_text, "first"), daemon=True)
first.start()
wait_for(1)
print(*[c.echo_text(str(n)) for n in range(9)], starts(), flush=True)
os._exit(0)
"""
    check(tmp_path, ["exec sleep 3600", ":"], code, "0 1 2 3 4 5 6 7 8 2", TIERUP_WORKERS="8")


def test_a_start_goes_on_when_its_call_is_over(tmp_path):
    code = """
print(outcome(c.echo_text, "early"))
c.ready()
print(outcome(c.echo_text, "late"), starts())
c.close()
"""
    late = "CallTimeoutError: no worker was free for the call within 2 s (TIERUP_CALL_TIMEOUT)"
    check(tmp_path, ["sleep 4"], code, late, "late 1", TIERUP_WORKERS="1", TIERUP_CALL_TIMEOUT="2")


def test_close_waits_for_a_call_whose_worker_is_starting(tmp_path):
    code = """
call = threading.Thread(target=lambda: print(outcome(c.echo_text, "x")))
call.start()
wait_for(1)
c.close()
call.join()
print(outcome(c.echo_text, "late"))
"""
    check(tmp_path, ["sleep 1.5"], code, "x", "TransportError: the pool is closed", TIERUP_WORKERS="1")


def test_the_companion_is_started_anew_and_its_workers_live_on():
    with conformance.bind(tier="1:pool") as c:
        c.ready()
        workers = set(programs(mark="--tierup-connection"))
        kill(*programs(mark="--tierup-companion"))
        assert c.echo_text("a") == "a"
        kill(*workers)
        wait_until(lambda: not any(map(lives, workers)), "a worker lives on")
        # None of these is lost with a worker that has ended.
        for number in range(len(workers)):
            assert c.echo_text(str(number)) == str(number)
        c.ready()
        assert len(programs(mark="--tierup-companion")) == 1
        assert len(programs(mark="--tierup-connection")) == len(workers)
    wait_until(lambda: not programs(), "a process outlives its binding")


def test_kills_at_random_lose_calls_but_give_no_wrong_answer():
    """Of workers and companions."""
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
        for number in range(20):
            mark = "--tierup-companion" if number % 4 == 3 else "--tierup-connection"
            kill(*programs(mark=mark)[:1])
        stop.set()
        for one in calls:
            one.result()
        assert c.echo_text("after") == "after"
    assert "" in outcomes
    wait_until(lambda: not programs(), "a process outlives its binding")


def test_a_forked_child_uses_its_parents_companion_while_there_is_one():
    with conformance.bind(tier="1:pool") as c:
        c.ready()
        for parent_has_one in (True, False):
            if not parent_has_one:
                kill(*programs(mark="--tierup-companion"))
            child = os.fork()
            if child == 0:
                right = c.echo_text("x") == "x" and bool(programs(mark="--tierup-companion")) is not parent_has_one
                c.close()
                os._exit(0 if right and not programs() else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert c.echo_text("parent") == "parent"


def test_the_queue_is_bounded(monkeypatch):
    monkeypatch.setenv("TIERUP_WORKERS", "1")
    monkeypatch.setenv("TIERUP_CALL_QUEUE", "3")
    with conformance.bind(tier="1:pool") as c, ThreadPoolExecutor(20) as threads:
        calls = [threads.submit(c.churn, number, 200_000) for number in range(20)]
        failed = {str(call.exception()) for call in calls if call.exception()}
        assert failed == {"3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)"}


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


def lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def kill(*processes):
    for process in processes:
        os.kill(process, signal.SIGKILL)

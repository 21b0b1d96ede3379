"""Endless calls: `TIERUP_CALL_TIMEOUT` replaces their workers, and `close` does not wait for them for ever."""

import os
import subprocess
import sys
import threading
import time

import pytest

import conformance
from processes import programs, wait_until
from test_load import resident_mebibytes

TIMEOUT = 2.5


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    monkeypatch.setenv("TIERUP_WORKERS", "2")
    monkeypatch.setenv("TIERUP_CALL_TIMEOUT", str(TIMEOUT))


def hung(c, count):
    """Threads that make endless calls, and a list that gets the errors of these calls."""
    errors = []

    def call():
        try:
            c.hang_on("really")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads, errors


def test_two_endless_calls_again_and_again_leave_two_workers_that_answer():
    with conformance.bind(tier="1:pool") as c:
        c.ready()
        before = len(programs()), len(os.listdir("/proc/self/fd"))
        memory = resident_mebibytes()
        for _ in range(3):
            threads, errors = hung(c, 2)
            time.sleep(TIMEOUT / 2)
            assert c.echo_text("third") == "third"
            for thread in threads:
                thread.join()
            assert [type(error) for error in errors] == [conformance.CallTimeoutError] * 2
            assert isinstance(errors[0], TimeoutError) and isinstance(errors[0], conformance.TransportError)
        c.ready()
        wait_until(lambda: len(programs()) == before[0], "processes are left")
        assert (len(programs()), len(os.listdir("/proc/self/fd"))) == before
        assert resident_mebibytes() - memory < 48
        threads, errors = hung(c, 1)
        time.sleep(0.2)
    threads[0].join()
    assert isinstance(errors[0], conformance.TransportError)
    wait_until(lambda: not programs(), "a process outlives its binding")


@pytest.mark.parametrize("tier", ["1:spawn", "2:core"])
def test_an_endless_call_is_ended(tier):
    with conformance.bind(tier=tier) as c:
        assert c.echo_text("before") == "before"
        before = len(os.listdir("/proc/self/fd"))
        threads, errors = hung(c, 2)
        for thread in threads:
            thread.join()
        assert [type(error) for error in errors] == [conformance.CallTimeoutError] * 2
        assert c.echo_text("next") == "next"
        with pytest.raises(conformance.PanicError):
            c.panic_with("words")
        assert not programs()
        assert len(os.listdir("/proc/self/fd")) <= before


def test_a_forked_child_ends_its_calls_at_2_core_too():
    script = """
import os, conformance
c = conformance.bind(tier="2:core")
c.echo_text("before")
if os.fork() == 0:
    try:
        c.hang_on("really")
    except conformance.CallTimeoutError:
        os._exit(0)
    os._exit(1)
assert os.wait()[1] == 0
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_a_thread_that_outlives_the_main_one_can_be_first_to_call_2_core():
    """From 3.12 on, CPython starts no thread after the end of the main thread, so tierup's clock must run before that."""
    script = """
import threading, conformance
c = conformance.bind(tier="2:core")
def call():
    threading.main_thread().join()
    print(c.echo_text("late"))
threading.Thread(target=call).start()
"""
    ended = subprocess.run([sys.executable, "-c", script], check=True, timeout=60, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("late\n", "")


def test_the_clock_of_2_core_is_there_before_the_first_call():
    with conformance.bind(tier="2:core"):
        assert "tierup-clock" in [thread.name for thread in threading.enumerate()]


def test_short_calls_at_2_core_are_answered_for_longer_than_one_may_take():
    """The time-out starts anew for each call."""
    with conformance.bind(tier="2:core") as c:
        end = time.monotonic() + 2 * TIMEOUT
        while time.monotonic() < end:
            assert c.echo_text("x") == "x"

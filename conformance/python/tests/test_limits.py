"""Time-outs as Python sees them. What limits promise in all languages is in `crates/tierup/tests/conformance/limits.rs`."""

import subprocess
import sys
import threading
import time

import pytest

import conformance

TIMEOUT = 2.5


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    monkeypatch.setenv("TIERUP_WORKERS", "2")
    monkeypatch.setenv("TIERUP_CALL_TIMEOUT", str(TIMEOUT))


def test_a_time_out_is_one_of_pythons_too():
    with conformance.bind(tier="1:spawn") as c, pytest.raises(conformance.CallTimeoutError) as failed:
        c.hang_on("really")
    assert isinstance(failed.value, TimeoutError) and isinstance(failed.value, conformance.TransportError)


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

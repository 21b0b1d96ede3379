"""`metrics()`: which tier runs and why, and how the calls ended."""

import asyncio
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

import conformance
from conformance import CallError, CallTimeoutError, PanicError, TransportError
from conftest import RECORD
from processes import programs

sys.path.insert(0, str(Path(__file__).parents[1]))
import metrics as snippet

ABI = RECORD["abi"]


def counts(binding):
    """Calls, errors, panics, time-outs and lost calls."""
    return binding.metrics()[5:]


def raises(error, call, *args):
    with pytest.raises(error):
        call(*args)


def test_what_runs_and_how_calls_end(tier):
    with conformance.bind(tier=tier) as c:
        assert c.metrics() == ("conformance", tier, tier, "", ABI, 0, 0, 0, 0, 0)
        assert [c.echo_text(text) for text in "abc"] == ["a", "b", "c"]
        raises(CallError, c.fail, "x")
        raises(PanicError, c.panic_with, "x")
        raises(TypeError, c.echo_text, 1)
        assert counts(c) == (6, 1, 1, 0, 0)

        # Calls whose values are encoded are counted in another place.
        assert [c.echo_u8(number) for number in range(3)] == [0, 1, 2]
        raises(CallError, c.parse_number, "x")
        raises(PanicError, c.item, [1], 7)
        raises(OverflowError, c.echo_u8, 256)
        assert counts(c) == (12, 2, 2, 0, 0)

        async def awaited():
            assert await c.echo_text_async("a") == "a"
            for error, call in (
                (CallError, c.fail_async("x")),
                (PanicError, c.panic_with_async("x")),
                (TypeError, c.echo_text_async(1)),
                (OverflowError, c.echo_u8_async(256)),
            ):
                with pytest.raises(error):
                    await call

        asyncio.run(awaited())
        assert counts(c) == (17, 3, 3, 0, 0)
        assert c.metrics()._asdict()["panics"] == 3
    assert counts(c) == (17, 3, 3, 0, 0), "after close()"


def test_calls_of_threads_add_up(tier):
    each = 5 if tier == "1:spawn" else 500

    def calls(binding):
        for number in range(each):
            try:
                binding.panic_if(number % 5 == 0, "x")
            except PanicError:
                pass

    with conformance.bind(tier=tier) as c, conformance.bind(tier=tier) as other:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(calls, [c] * 8))
        assert (counts(c), counts(other)) == ((8 * each, 0, 8 * each // 5, 0, 0), (0, 0, 0, 0, 0))


def test_whatever_the_servers_own_code_raises_is_its_error():
    def fail(words):
        raise TypeError(words)

    async def panic_with(words):
        raise AssertionError(words)

    own = {"echo_text": lambda text: text, "fail": fail, "panic_with": panic_with}
    with conformance.bind(tier="0", baseline=own) as c:
        assert [c.echo_text(text) for text in "abc"] == ["a", "b", "c"]
        raises(TypeError, c.fail, "x")
        with pytest.raises(AssertionError):
            asyncio.run(c.panic_with_async("x"))
        assert c.metrics() == ("conformance", "0", "0", "", ABI, 5, 2, 0, 0, 0)


def test_the_package_itself_counts_its_own_calls():
    before = conformance.metrics()
    assert conformance.echo_text("a") == "a"
    after = conformance.metrics()
    assert (after.calls, after.asked, after.tier) == (before.calls + 1, "", conformance.tier)


def test_why_what_was_asked_for_does_not_run(monkeypatch):
    monkeypatch.setenv("TIERUP_FALLBACK", "1")
    with conformance.bind(tier="2:component") as c:
        _, tier, asked, instead, *_ = c.metrics()
    assert (tier, asked) == ("3:native", "2:component")
    assert instead.startswith("conformance cannot run at tier 2:component: ")


def test_a_call_that_took_too_long_and_one_whose_worker_was_killed(monkeypatch):
    monkeypatch.setenv("TIERUP_WORKERS", "1")
    monkeypatch.setenv("TIERUP_CALL_TIMEOUT", "2")
    with conformance.bind(tier="1:pool") as c:
        raises(CallTimeoutError, c.hang_on, "really")
        assert c.echo_text("a") == "a"
        stop = threading.Event()

        def kill():
            while not stop.wait(0.2):
                for worker in programs(mark="--tierup-connection"):
                    os.kill(worker, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        raises(TransportError, c.hang_on, "really")
        stop.set()
        killer.join()
        assert counts(c) == (3, 0, 0, 1, 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_child_goes_on_from_its_parents_numbers(tier):
    with conformance.bind(tier=tier) as c:
        c.echo_text("a")
        child = os.fork()
        if child == 0:
            c.echo_text("b")
            os._exit(c.metrics().calls)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
        assert c.metrics().calls == 1


def test_a_registry_has_them():
    registry = CollectorRegistry()
    with conformance.bind(tier="3:native") as c:
        snippet.register(c, registry)
        c.echo_text("a")
        raises(CallError, c.fail, "x")
        lines = generate_latest(registry).decode().splitlines()
    for line in (
        "tierup_calls_total 2.0",
        "tierup_errors_total 1.0",
        "tierup_panics_total 0.0",
        "tierup_timeouts_total 0.0",
        "tierup_lost_total 0.0",
        f'tierup_info{{abi="{ABI}",asked="3:native",instead="",package="conformance",tier="3:native"}} 1.0',
    ):
        assert line in lines, lines

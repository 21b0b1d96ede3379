"""`metrics()` as Python sees it. What all languages promise is in `crates/tierup/tests/conformance/metrics.rs`."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

import conformance
from conformance import CallError, PanicError
from conftest import RECORD

sys.path.insert(0, str(Path(__file__).parents[1]))
import metrics as snippet

ABI = RECORD["abi"]


def counts(binding):
    """Calls, errors, panics, time-outs and lost calls."""
    return binding.metrics()[5:]


def raises(error, call, *args):
    with pytest.raises(error):
        call(*args)


def test_awaited_calls_count_and_those_with_wrong_arguments(tier):
    with conformance.bind(tier=tier) as c:
        raises(TypeError, c.echo_text, 1)
        # Calls whose values are encoded are counted in another place.
        raises(OverflowError, c.echo_u8, 256)

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
        assert counts(c) == (7, 1, 1, 0, 0)


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

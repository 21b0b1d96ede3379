"""Arguments, answers and Wasm instances of failed calls are freed at once, even if the garbage collector is off."""

import asyncio
import gc
import os
import time
import weakref
from pathlib import Path

import pytest

import conformance
from conformance import CallError, PanicError


class Text(str):
    """Text that a weak reference can refer to, so that a test sees whether it was freed."""


class Values(list):
    """A list that a weak reference can refer to."""


# How a call can end without an answer: an error, a panic (a trap in Wasm), arguments that are refused.
FAILURES = [
    ("fail", lambda: (Text("words"),), CallError),
    ("panic_with", lambda: (Text("words"),), PanicError),
    ("item", lambda: (Values([1, 2]), 7), PanicError),
    ("echo_texts", lambda: (Values(["x", 7]),), TypeError),
    ("echo_u64s", lambda: (Values([-1]),), OverflowError),
    ("echo_text", lambda: (Text("\ud800"),), ValueError),
]


@pytest.fixture(autouse=True)
def no_garbage_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("name, arguments, kind", FAILURES, ids=[name for name, _, _ in FAILURES])
def test_an_error_that_was_dropped_keeps_no_argument(c, name, arguments, kind):
    call, call_async = getattr(c, name), getattr(c, f"{name}_async")

    def fail():
        args = arguments()
        with_its_end = weakref.ref(args[0])
        try:
            call(*args)
        except kind:
            return with_its_end
        pytest.fail(f"{name} did not fail")

    async def fail_awaited():
        args = arguments()
        with_its_end = weakref.ref(args[0])
        try:
            await call_async(*args)
        except kind:
            return with_its_end
        pytest.fail(f"{name} did not fail")

    assert fail()() is None
    dropped = asyncio.run(fail_awaited())
    # The package's own threads outlive the event loop, and may hold a call for a moment after its answer.
    end = time.monotonic() + 10
    while dropped() is not None and time.monotonic() < end:
        time.sleep(0.001)
    assert dropped() is None


def test_no_call_leaves_anything_to_the_garbage_collector(c):
    def calls():
        c.echo_text("x")
        c.echo_bytes(b"x")
        c.echo_point(conformance.Point(1, 2))
        for name, arguments, kind in FAILURES:
            try:
                getattr(c, name)(*arguments())
            except kind:
                pass

    calls()
    gc.collect()
    calls()
    assert gc.collect() == 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux for the memory")
def test_memory_is_flat_without_the_garbage_collector(c):
    def fail(words):
        for call, kind in ((c.fail, CallError), (c.panic_with, PanicError)):
            try:
                call(Text(words))
            except kind:
                pass

    large = "x" * (4 << 20)
    for _ in range(5):
        fail(large)
    before = resident_mebibytes()
    for _ in range(30):
        fail(large)
    grown = resident_mebibytes() - before
    # Each of 60 calls has an argument of 4 MiB, which is also its message.
    assert grown < 96, f"{grown:.1f} MiB more"


def resident_mebibytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

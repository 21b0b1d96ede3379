"""Failures as Python sees them. What all languages promise is in `crates/tierup/tests/conformance/failures.rs`."""

import asyncio
import subprocess
import sys

import pytest

from conformance import CallError, PanicError
import conformance


def test_to_await_is_the_same(c):
    async def calls():
        assert await c.echo_text_async("x") == "x"
        assert await c.echo_point_async(conformance.Point(1, 2)) == conformance.Point(1.0, 2.0)
        for error, call in (
            (CallError, c.fail_async("words")),
            (PanicError, c.panic_with_async("words")),
            (TypeError, c.echo_text_async(1)),
        ):
            with pytest.raises(error):
                await call
        assert await asyncio.gather(*(c.echo_u8_async(n) for n in range(200))) == list(range(200))

    asyncio.run(calls())


def test_exceptions_are_of_their_class_and_hold_on_to_nothing(c):
    for kind, call in ((CallError, c.fail), (PanicError, c.panic_with)):
        try:
            call("words")
        except Exception as error:
            assert type(error) is kind
            assert error.__cause__ is None and error.__context__ is None
        else:
            pytest.fail("no exception")


def test_a_wasmtime_that_calls_its_functions_otherwise_will_do():
    """`2:core` uses private names of wasmtime if it has them. A later version may lack them."""
    script = """
import sys, wasmtime
del wasmtime._ffi
sys.modules["wasmtime._ffi"] = None
import conformance
c = conformance.bind(tier="2:core")
assert c.echo_text("x") == "x"
try:
    c.panic_with("words")
except conformance.PanicError as error:
    print(error)
assert c.echo_text("y") == "y"
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("words, at ")


def test_idle_instances_have_so_much_memory_together(monkeypatch):
    """Calls at the same time need an instance each. After a burst, most instances must be freed."""
    from conformance._tierup.variants import core

    monkeypatch.setattr(core, "MOST_IDLE_BYTES", 16 << 20)
    with conformance.bind(tier="2:core") as c:
        variant = c._tierup_variant
        number = next(number for number, function in enumerate(variant.functions) if function.name == "make_bytes")
        burst = [variant.instance() for _ in range(12)]
        for instance in burst:
            assert len(instance.call(number, (1 << 20).to_bytes(4, "little"))) > 1 << 20
        for instance in burst:
            variant.put_back(instance)
        sizes = [instance.memory.data_len(instance.store) for instance in variant.idle]
        assert (8 << 20) < sum(sizes) <= 16 << 20
        # Idle instances are used again, except for one that has grown too large.
        assert variant.idle[-1] in burst
        c.make_bytes(15 << 20)
        assert all(instance.memory.data_len(instance.store) < 15 << 20 for instance in variant.idle)
        assert c.echo_text("next") == "next"

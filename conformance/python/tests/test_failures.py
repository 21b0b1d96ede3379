"""Errors, panics and lost processes: the caller gets an error, and the next call works."""

import asyncio
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance import CallError, PanicError, TransportError
import conformance


def test_the_functions_error_is_an_exception_with_its_words(c):
    for words in ("plain", "", 'ä\n"quoted" 😀'):
        with pytest.raises(CallError) as failed:
            c.fail(words)
        assert str(failed.value) == words
    with pytest.raises(CallError, match="^more than 2 is too large$"):
        c.check_limit(3, 2)
    assert c.check_limit(1, 2) is None
    with pytest.raises(CallError):
        c.parse_number("x")
    assert c.parse_number(" 12 ") == 12


def test_a_panic_is_met_by_except_exception_and_the_next_call_works(c):
    for number in range(20):
        try:
            c.panic_with(f"round {number}")
        except Exception as error:
            assert type(error) is PanicError
            assert re.search(rf"round {number}\b", str(error))
        else:
            pytest.fail("no panic")
        with pytest.raises(PanicError):
            c.item([1, 2], 7)
        assert c.item([1, 2], 1) == 2
        with pytest.raises(PanicError):
            c.panic_if(True, "x")
        assert c.panic_if(False, "x") == "X"


def test_panics_among_500_calls_at_once_harm_only_themselves(c):
    def outcome(number):
        try:
            return c.panic_if(number % 10 == 0, f"text {number}")
        except PanicError:
            return PanicError

    with ThreadPoolExecutor(50) as threads:
        outcomes = list(threads.map(outcome, range(500)))
    assert outcomes == [PanicError if number % 10 == 0 else f"TEXT {number}" for number in range(500)]


def test_what_the_function_prints_does_not_get_into_its_answer(c):
    assert c.print_and_return("abc") == "cba"
    assert c.print_and_return("x\n" * 1000) == "\nx" * 1000


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


def test_an_exception_holds_on_to_nothing(c):
    try:
        c.fail("words")
    except CallError as error:
        assert error.__cause__ is None and error.__context__ is None


def test_a_trapped_instance_is_thrown_away():
    with conformance.bind(tier="2:core") as c:
        c.count_calls()
        before = c.count_calls()
        with pytest.raises(PanicError, match=r"^x, at \S+calls.rs:\d+:\d+$"):
            c.panic_with("x")
        assert c.count_calls() == 1, f"the instance that trapped after {before} calls still answers"


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

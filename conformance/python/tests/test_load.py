"""Many calls at once and in a row: no call is lost, and nothing leaks."""

import asyncio
import gc
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformance import CallError, PanicError, Point

MANY = 10_000


def resident_mebibytes():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def test_10_000_calls_at_once_are_all_answered(c, tier):
    # At 1:spawn each call starts a process, which takes long.
    many = 500 if tier == "1:spawn" else MANY
    with ThreadPoolExecutor(100) as threads:
        answers = list(threads.map(c.echo_text, (f"call {number}" for number in range(many))))
    assert answers == [f"call {number}" for number in range(many)]


def test_10_000_calls_at_once_are_all_answered_when_awaited(c, tier):
    many = 500 if tier == "1:spawn" else MANY

    async def calls():
        return await asyncio.gather(*(c.echo_text_async(f"call {number}") for number in range(many)))

    assert asyncio.run(calls()) == [f"call {number}" for number in range(many)]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux for the memory")
def test_memory_is_flat_over_many_calls_and_panics(c, tier):
    content = bytes(10_240)
    # At 1:spawn each call starts a process, so many calls would take minutes. A leak would end with its process.
    rounds = 6 if tier == "1:spawn" else 1000 if os.environ.get("TIERUP_LONG") == "1" else 200

    def round():
        for _ in range(89):
            c.echo_bytes(content)
        c.echo_point(Point(1, 2))
        for _ in range(10):
            with pytest.raises(PanicError):
                c.panic_with("words")
        with pytest.raises(CallError):
            c.fail("words")

    for _ in range(rounds // 4):
        round()
    before = resident_mebibytes()
    for _ in range(rounds):
        round()
    grown = resident_mebibytes() - before
    # If each call leaked only the content, that would be 180 MiB.
    assert grown < 48, f"{grown:.1f} MiB more after {rounds} rounds"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux for the descriptors")
def test_file_descriptors_are_given_back(c):
    def count():
        return len(os.listdir("/proc/self/fd"))

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(c.echo_text, ["warm"] * 20))
        before = count()
        list(threads.map(c.echo_text, ["x"] * 100))
        assert count() <= before + 2

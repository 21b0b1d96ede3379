"""TIERUP_ROLLOUT in Python alone: coroutines, threads, forks. What all languages promise is in
`crates/tierup/tests/conformance/rollout.rs`."""

import asyncio
import contextlib
import os
import threading
import time

import pytest

import conformance
import different
from processes import programs, wait_until
from rollouts import SHADOW, SHARE, counts, host

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix sockets")


@contextlib.contextmanager
def rollout(path, lines, monkeypatch):
    """The baseline under a control file with these lines, ready."""
    path.write_text(lines)
    with monkeypatch.context() as patch:
        patch.setenv("TIERUP_ROLLOUT", str(path))
        binding = conformance.bind(tier="0", baseline=different)
    with binding as c:
        c.ready()
        # On a busy machine it may take longer than `ready()` waits.
        wait_until(lambda: any(one["host"] for one in counts(path)), "there is no evidence")
        yield c
    wait_until(lambda: not programs(), "a process outlives its binding")


def test_calls_of_both_kinds_are_compared_and_those_that_rust_would_refuse_are_counted(path, monkeypatch):
    with rollout(path, SHADOW, monkeypatch) as c:
        assert asyncio.run(c.echo_text_async("a")) == "a"
        assert c.echo_text("😀") == ":-)"
        # The caller gets the server's own error.
        with pytest.raises(RuntimeError, match="own words for it"):
            c.fail("it")
        # The control changes its arguments. The candidate gets them unchanged.
        texts = ["a", "b"]
        assert (c.echo_texts(texts), texts) == (["a", "b"], [])
        # Rust would refuse the number.
        assert c.echo_text(1234567) == 1234567
        wait_until(lambda: [(one["compared"], one["different"], one["host"]["sampled"], one["host"]["refused"]) for one in counts(path)] == [(4, 1, 5, 1)], counts(path))
        assert counts(path)[0]["host"]["refusal"].startswith("echo_text: text: ")
        assert "1234567" in str(counts(path))
        # The value is forgotten with the line that asks for it.
        path.write_text(SHADOW.replace("keep=values\n", ""))
        wait_until(lambda: counts(path)[0]["host"]["refusal"] == "echo_text", "the value is still there")
    assert "1234567" not in str(counts(path))


def test_no_value_of_a_refused_call_is_written_unless_the_control_file_asks_for_it(path, monkeypatch):
    with rollout(path, "candidate=3:native\nshadow=1\n", monkeypatch) as c:
        assert c.echo_text(7) == 7
    assert [(one["host"]["refused"], one["host"]["refusal"]) for one in counts(path)] == [(1, "echo_text")]


def test_the_control_answers_coroutines_and_calls_that_the_candidate_does_not(path, monkeypatch):
    with rollout(path, SHARE, monkeypatch) as c:
        assert asyncio.run(c.echo_text_async("😀")) == "😀", "the candidate answers"
        assert asyncio.run(c.panic_if_async(True, "x")) == "X"
        with pytest.raises(RuntimeError, match="own words"):
            c.fail("it")
        assert c.echo_text(7) == 7
        assert (c.metrics().calls, c.metrics().errors) == (4, 1)
    found = host(path)
    assert [found[name] for name in ("shared", "panics", "errors", "refused")] == [4, 1, 1, 1]


def test_threads_and_forked_children_count_and_are_answered(path, monkeypatch):
    with rollout(path, SHADOW.replace("shadow=1", "shadow=0.1\nshare=0.5"), monkeypatch) as c:
        threads = [threading.Thread(target=lambda: [c.echo_text("a") for _ in range(2000)]) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                c.ready()
                end = time.monotonic() + 60
                while time.monotonic() < end and not any(one["host"].get("process") == str(os.getpid()) and one["host"]["calls"] for one in counts(path)):
                    assert c.echo_text("b") == "b"
                    time.sleep(0.01)
                code = 0 if time.monotonic() < end else 2
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert max(one["host"].get("calls", 0) for one in counts(path)) == 8000

"""The starts of `1:pool`: who learns that a worker did not start, and when. Awaited calls that are cancelled."""

import json
import sys
import unittest

from fixture import Package
from processes import BOTH, HELP, PROGRAM


def starting(*orders):
    """A program whose first starts carry out these orders, one each; all that follow carry out the last."""
    before = f"""
nth = 0
while True:
    nth += 1
    try: os.mkdir(__file__ + "-start-" + str(nth)); break
    except FileExistsError: pass
order = {json.dumps(orders)}[min(nth, {len(orders)}) - 1]
if order == "hang": time.sleep(3600)
if order == "exit": sys.exit(2)
if order == "exit late": time.sleep(0.4); sys.exit(2)
if order == "exit beside another":
    while not os.path.exists(__file__ + "-start-2"): time.sleep(0.01)
    sys.exit(2)
if order == "late": time.sleep(1.5); os.mkdir(__file__ + "-late")
if order == "hang, with care":
    sys.stdin.buffer.read()
    os.mkdir(__file__ + "-was-let-end")
    sys.exit()
"""
    return PROGRAM.replace("# before", before)


# `calls(count)` makes so many calls at once, in threads, and gives their outcomes back.
CALLS = """
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
def calls(count):
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(lambda n: outcome(c.echo_text, f"call {n}"), range(count)))
def has(what): return (Path(conformance.__file__).parent / f"artifacts/conformance-{what}").exists()
def wait_for(what):
    while not has(what): time.sleep(0.01)
c = bind(tier="1:pool")
"""


@unittest.skipIf(sys.platform == "win32", "programs are scripts here")
class Starts(unittest.TestCase):
    def check(self, orders, code, *lines, **environment):
        with Package(BOTH, program=starting(*orders)) as package:
            said, _ = package.run(HELP + CALLS + code, **environment)
        self.assertEqual(len(said.splitlines()), len(lines), said)
        for line, expected in zip(said.splitlines(), lines):
            self.assertRegex(line, expected)

    def test_all_who_wait_learn_that_no_worker_started(self):
        self.check(
            ["exit late"],
            """
outcomes = calls(20)
print(set(outcomes))
print(has("start-7") and "each call tried in turn")
c.close()
""",
            r"^{'TransportError: .*exit code 2: standard error has its last words'}$",
            "^False$",
            TIERUP_WORKERS="2",
        )

    def test_workers_that_hang_in_turns_do_not_keep_calls_waiting_for_ever(self):
        self.check(
            ["hang", "exit late", "hang"],
            """
print(set(calls(3)))
print(has("start-5") and "the calls waited for one start after the other")
c.close()
""",
            r"^{'TransportError: .*did not start within 1 s \(TIERUP_START_TIMEOUT\): its process was ended'}$",
            "^False$",
            TIERUP_WORKERS="2",
            TIERUP_START_TIMEOUT="1",
        )

    def test_a_start_that_fails_beside_another_fails_no_call_before_that_is_over(self):
        self.check(
            ["exit beside another", "late", "exit"],
            "print(sorted(calls(2)))\nc.close()",
            r"^\['call 0', 'call 1'\]$",
            TIERUP_WORKERS="2",
        )

    def test_calls_that_have_a_worker_do_not_learn_that_another_did_not_start(self):
        self.check(
            ["ok", "exit"],
            "print(set(calls(20)) == {f'call {n}' for n in range(20)})\nc.close()",
            "^True$",
            TIERUP_WORKERS="2",
        )

    def test_a_start_that_hangs_holds_up_no_call_while_another_worker_is_free(self):
        self.check(
            ["hang", "ok"],
            """
answers = []
first = threading.Thread(target=lambda: answers.append(outcome(c.echo_text, "first")))
first.start()
wait_for("start-1")
print(*[outcome(c.echo_text, f"call {n}") for n in range(20)])
print(has("start-3"))
first.join()
print(*answers)
c.close()
""",
            "^call 0 call 1 call 2 .* call 19$",
            "^False$",
            # It caused the start that hangs, and had the worker that another call started.
            "^first$",
            TIERUP_WORKERS="8",
        )

    def test_sequential_calls_do_not_wait_for_a_start_that_hangs(self):
        self.check(
            ["hang", "ok"],
            """
print(outcome(c.echo_text, "first"))
print(*[outcome(c.echo_text, f"call {n}") for n in range(20)])
c.close()
""",
            "^CallTimeoutError: no worker was free for the call within 5 s",
            "^call 0 call 1 call 2 .* call 19$",
            TIERUP_WORKERS="8",
            # The second worker has this long to start, on a busy machine too.
            TIERUP_CALL_TIMEOUT="5",
        )

    def test_a_call_that_comes_after_a_failed_start_is_answered_by_the_next_one(self):
        self.check(
            ["exit", "ok"],
            "print(outcome(c.echo_text, 'a'))\nprint(outcome(c.echo_text, 'b'))\nc.close()",
            "^TransportError: .*exit code 2",
            "^b$",
            TIERUP_WORKERS="1",
        )

    def test_a_start_that_nobody_waits_for_any_more_has_its_own_error(self):
        self.check(
            ["exit late"],
            """
print(outcome(c.echo_text, "a"))
wait_for("start-1")
time.sleep(5.5)
print(outcome(c.ready))
c.close()
""",
            "^CallTimeoutError: no worker was free",
            "^TransportError: .*exit code 2",
            TIERUP_WORKERS="1",
            TIERUP_CALL_TIMEOUT="0.1",
            TIERUP_START_TIMEOUT="5",
        )

    def test_ready_waits_for_all_starts_and_has_the_first_error(self):
        self.check(
            ["exit", "late", "ok"],
            "print(outcome(c.ready))\nprint(has('late'))\nc.close()",
            "^TransportError: .*exit code 2",
            "^True$",
            TIERUP_WORKERS="2",
        )

    def test_ready_waits_for_starts_that_calls_have_caused(self):
        self.check(
            ["late"],
            """
call = threading.Thread(target=c.echo_text, args=("x",))
call.start()
wait_for("start-1")
c.ready()
print(has("late"))
call.join()
c.close()
""",
            "^True$",
            TIERUP_WORKERS="1",
        )

    def test_close_kills_workers_that_are_starting(self):
        self.check(
            ["hang, with care"],
            """
ready = threading.Thread(target=c.ready)
ready.start()
wait_for("start-4")
c.close()
ready.join()
print(has("was-let-end"), outcome(c.echo_text, "late"))
""",
            "^False TransportError: the pool is closed$",
            TIERUP_WORKERS="4",
        )

    def test_close_waits_for_a_call_whose_worker_is_starting(self):
        self.check(
            ["late"],
            """
call = threading.Thread(target=lambda: print(outcome(c.echo_text, "x")))
call.start()
wait_for("start-1")
c.close()
call.join()
""",
            "^x$",
            TIERUP_WORKERS="1",
        )

    def test_cancelled_calls_leave_the_queue(self):
        for tier in ("1:spawn", "1:pool"):
            self.check(
                ["ok"],
                f"""
import asyncio
from concurrent.futures import Future
import conformance._tierup.tiers as tiers
import conformance._tierup.variants.spawn as spawn
c.close()
spawn.parallelism = lambda: 1
c = bind(tier={tier!r})
variant = tiers._shared[{tier!r}].variant
class Text(str): __eq__, __hash__ = object.__eq__, object.__hash__
alive = set()
import gc, weakref
def call():
    text = Text("hang")
    reference = weakref.ref(text, lambda gone: alive.discard(gone))
    alive.add(reference)
    return asyncio.ensure_future(c.echo_text_async(text))
async def serve():
    running = [call() for _ in range(variant.most)]
    await asyncio.sleep(0.5)
    for _ in range(50):
        waiting = [call() for _ in range(3)]
        await asyncio.sleep(0)
        for one in waiting: one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    del waiting, one
    await asyncio.sleep(0)
    gc.collect()
    print(len(alive) - variant.most, variant.threads._work_queue.qsize() <= 3)
    return await asyncio.gather(*running, return_exceptions=True)
print({{type(error).__name__ for error in asyncio.run(serve())}})
c.close()
""",
                "^0 True$",
                "^{'CallTimeoutError'}$",
                TIERUP_WORKERS="1",
                TIERUP_CALL_QUEUE="3",
                TIERUP_CALL_TIMEOUT="4",
            )

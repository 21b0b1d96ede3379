"""How long calls and starts may take at tier 1, and how many calls may wait."""

import unittest

from processes import ProcessTest


class Limits(ProcessTest):
    def test_the_number_of_workers_must_be_a_whole_number(self):
        code = "print(outcome(lambda: bound('0:workers')))"
        self.check(code, "TIERUP_WORKERS must be a whole number of at least 1, got `many`$", TIERUP_WORKERS="many")

    def test_limits_must_be_numbers(self):
        code = "print(outcome(lambda: bound('0:workers')))"
        self.check(code, "TIERUP_CALL_QUEUE must be a whole number of at least 1, got `0`$", TIERUP_CALL_QUEUE="0")
        for name in ("TIERUP_CALL_TIMEOUT", "TIERUP_START_TIMEOUT"):
            for text in ("0", "-1", "1e3", "2s", "1000001", "nan"):
                words = f"{name} must be a number of seconds above 0, up to 1000000, such as 2.5, got `{text}`$"
                self.check(code, words, **{name: text})

    def test_the_time_that_a_call_waits_counts_and_the_worker_is_replaced(self):
        self.check(
            """
c = bound("0:workers")
c.ready()
first = int(c.echo_text("pid"))
outcomes = []
threads = [threading.Thread(target=lambda: outcomes.append(outcome(c.echo_text, "hang"))) for _ in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for line in sorted(outcomes, reverse=True): print(line)
c.ready()
print(int(c.echo_text("pid")) != first)
try: c.echo_text("hang")
except conformance.TransportError as error: print(isinstance(error, TimeoutError))
c.close()
""",
            r"^CallTimeoutError: the call took longer than 1\.5 s \(TIERUP_CALL_TIMEOUT\): its process was ended$",
            *[r"^CallTimeoutError: no worker was free for the call within 1\.5 s \(TIERUP_CALL_TIMEOUT\)$"] * 4,
            "^True$",
            "^True$",
            TIERUP_WORKERS="1",
            TIERUP_CALL_TIMEOUT="1.5",
        )

    def test_a_worker_that_stops_reading_is_ended(self):
        self.check(
            """
import signal
c = bound("0:workers")
c.ready()
os.kill(int(c.echo_text("pid")), signal.SIGSTOP)
print(outcome(c.echo_text, "x" * (1 << 24)))
c.close()
""",
            "^CallTimeoutError: the call took longer than 5 s",
            TIERUP_WORKERS="1",
            TIERUP_CALL_TIMEOUT="5",
        )

    def test_a_worker_that_never_starts_is_an_error(self):
        self.check(
            """
os.environ["ORDERS"] = "3600"
c = bound("0:workers")
print(outcome(c.echo_text, "a"))
print(outcome(c.ready))
c.close()
""",
            *[r"^TransportError: .*did not start within 1 s \(TIERUP_START_TIMEOUT\): its process was ended$"] * 2,
            TIERUP_WORKERS="1",
            TIERUP_START_TIMEOUT="1",
        )

    def test_a_start_continues_after_its_call_is_over(self):
        self.check(
            """
os.environ["ORDERS"] = "3"
c = bound("0:workers")
print(outcome(c.echo_text, "early"))
c.ready()
print(outcome(c.echo_text, "late"))
c.close()
""",
            "^CallTimeoutError: no worker was free for the call within 2 s",
            "^late$",
            TIERUP_WORKERS="1",
            TIERUP_CALL_TIMEOUT="2",
        )

    def test_awaited_calls_do_not_wait_for_the_event_loops_threads(self):
        for tier in ("1:spawn", "0:workers"):
            self.check(
                f"""
import asyncio
from concurrent.futures import ThreadPoolExecutor
c = bound({tier!r})
async def serve():
    loop, done = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    work = loop.run_in_executor(None, done.wait, 60)
    print(await asyncio.wait_for(c.echo_text_async("x"), 30))
    done.set()
    print(await work)
asyncio.run(serve())
c.close()
""",
                "^x$",
                "^True$",
            )

    def test_the_time_of_awaited_calls_starts_when_they_are_made(self):
        self.check(
            """
import asyncio
from collections import Counter
c = bound("0:workers")
c.ready()
async def serve():
    calls = [c.echo_text_async("hang") for _ in range(100)]
    return Counter(str(error) for error in await asyncio.gather(*calls, return_exceptions=True))
for words, count in sorted(asyncio.run(serve()).items()): print(count, words)
c.close()
""",
            r"^99 no worker was free for the call within 3 s \(TIERUP_CALL_TIMEOUT\)$",
            r"^1 the call took longer than 3 s",
            TIERUP_WORKERS="1",
            TIERUP_CALL_TIMEOUT="3",
        )

    def test_too_many_awaited_calls_are_an_error(self):
        for tier, at_once in (("1:spawn", 4), ("0:workers", 1)):
            self.check(
                f"""
import asyncio
import conformance._tierup.variants.spawn as spawn
spawn.parallelism = lambda: 1
c = bound({tier!r})
async def serve():
    calls = [c.echo_text_async("slow") for _ in range(100)]
    return await asyncio.gather(*calls, return_exceptions=True)
outcomes = asyncio.run(serve())
print(outcomes.count("slow"), *set(map(str, outcomes)) - {{"slow"}})
c.close()
""",
                rf"^{at_once + 3} 3 calls wait for a worker already, which is the most \(TIERUP_CALL_QUEUE\)$",
                TIERUP_WORKERS="1",
                TIERUP_CALL_QUEUE="3",
            )

    def test_a_full_queue_is_an_error(self):
        for tier in ("1:spawn", "0:workers"):
            self.check(
                f"""
from concurrent.futures import ThreadPoolExecutor
c = bound({tier!r})
with ThreadPoolExecutor(100) as threads:
    outcomes = list(threads.map(lambda word: outcome(c.echo_text, word), ["slow"] * 100))
print(outcomes.count("slow") > 3, *set(outcomes) - {{"slow"}})
c.close()
""",
                r"^True TransportError: 3 calls wait for a worker already, which is the most \(TIERUP_CALL_QUEUE\)$",
                TIERUP_WORKERS="1",
                TIERUP_CALL_QUEUE="3",
            )

    def test_cancelled_calls_leave_the_queue(self):
        self.check(
            """
import asyncio
from concurrent.futures import Future
import conformance._tierup.variants.spawn as spawn
spawn.parallelism = lambda: 1
c = bind(tier="1:spawn")
variant = c._tierup_variant
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
print({type(error).__name__ for error in asyncio.run(serve())})
c.close()
""",
            "^0 True$",
            "^{'CallTimeoutError'}$",
            TIERUP_WORKERS="1",
            TIERUP_CALL_QUEUE="3",
            TIERUP_CALL_TIMEOUT="4",
        )


if __name__ == "__main__":
    unittest.main()

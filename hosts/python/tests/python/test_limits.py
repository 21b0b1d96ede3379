"""How long calls and starts may take at tier 1, and how many calls may wait."""

import unittest

from fixture import Package
from processes import BOTH, PROGRAM, ProcessTest


class Limits(ProcessTest):
    def test_the_number_of_workers_is_a_number(self):
        code = "print(outcome(lambda: bind(tier='1:pool')))"
        self.check(code, "TIERUP_WORKERS must be a whole number of at least 1, got `many`$", TIERUP_WORKERS="many")

    def test_limits_are_numbers(self):
        code = "print(outcome(lambda: bind(tier='1:pool')))"
        self.check(code, "TIERUP_CALL_QUEUE must be a whole number of at least 1, got `0`$", TIERUP_CALL_QUEUE="0")
        for name in ("TIERUP_CALL_TIMEOUT", "TIERUP_START_TIMEOUT"):
            for text in ("0", "-1", "1e3", "2s", "1000001", "nan"):
                words = f"{name} must be a number of seconds above 0, up to 1000000, such as 2.5, got `{text}`$"
                self.check(code, words, **{name: text})

    def test_the_time_that_a_call_waits_counts_and_the_worker_is_replaced(self):
        self.check(
            """
c = bind(tier="1:pool")
first = int(c.echo_text("pid"))
outcomes = []
threads = [threading.Thread(target=lambda: outcomes.append(outcome(c.echo_text, "hang"))) for _ in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for line in sorted(outcomes, reverse=True): print(line)
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

    def test_a_worker_that_reads_no_more_is_ended_too(self):
        with Package(BOTH, program=PROGRAM.replace("source.read(8)", "time.sleep(3600)")) as deaf:
            code = "c = bind(tier='1:pool')\nprint(outcome(c.echo_text, 'x' * (1 << 24)))\nc.close()"
            self.check(code, "^CallTimeoutError: the call took longer than 1 s", package=deaf, TIERUP_CALL_TIMEOUT="1")

    def test_a_worker_that_never_starts_is_an_error(self):
        with Package(BOTH, program=PROGRAM.replace("# before", "time.sleep(3600)")) as silent:
            self.check(
                """
c = bind(tier="1:pool")
print(outcome(c.echo_text, "a"))
print(outcome(c.ready))
c.close()
""",
                *[r"^TransportError: .*did not start within 1 s \(TIERUP_START_TIMEOUT\): its process was ended$"] * 2,
                package=silent,
                TIERUP_WORKERS="1",
                TIERUP_START_TIMEOUT="1",
            )

    def test_a_call_does_not_wait_for_a_start_longer_than_it_may(self):
        with Package(BOTH, program=PROGRAM.replace("# before", "time.sleep(3600)")) as silent:
            self.check(
                """
c = bind(tier="1:pool")
print(outcome(c.echo_text, "a"))
print(outcome(c.echo_text, "b"))
c.close()
""",
                *[r"^CallTimeoutError: no worker was free for the call within 0\.5 s"] * 2,
                package=silent,
                TIERUP_WORKERS="1",
                TIERUP_CALL_TIMEOUT="0.5",
            )

    def test_a_start_goes_on_when_its_call_is_over(self):
        with Package(BOTH, program=PROGRAM.replace("# before", "time.sleep(4)")) as slow:
            self.check(
                """
c = bind(tier="1:pool")
print(outcome(c.echo_text, "early"))
c.ready()
print(outcome(c.echo_text, "late"))
c.close()
""",
                "^CallTimeoutError: no worker was free for the call within 2 s",
                "^late$",
                package=slow,
                TIERUP_WORKERS="1",
                TIERUP_CALL_TIMEOUT="2",
            )

    def test_awaited_calls_do_not_wait_for_the_event_loops_threads(self):
        for tier in ("1:spawn", "1:pool"):
            self.check(
                f"""
import asyncio
from concurrent.futures import ThreadPoolExecutor
c = bind(tier={tier!r})
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

    def test_awaited_calls_have_their_time_from_the_moment_in_which_they_are_made(self):
        self.check(
            """
import asyncio
from collections import Counter
c = bind(tier="1:pool")
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

    def test_awaited_calls_that_are_too_many_are_an_error(self):
        for tier, at_once in (("1:spawn", 4), ("1:pool", 1)):
            self.check(
                f"""
import asyncio
import conformance._tierup.variants.spawn as spawn
spawn.parallelism = lambda: 1
c = bind(tier={tier!r})
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
        for tier in ("1:spawn", "1:pool"):
            self.check(
                f"""
from concurrent.futures import ThreadPoolExecutor
c = bind(tier={tier!r})
with ThreadPoolExecutor(100) as threads:
    outcomes = list(threads.map(lambda word: outcome(c.echo_text, word), ["slow"] * 100))
print(outcomes.count("slow") > 3, *set(outcomes) - {{"slow"}})
c.close()
""",
                r"^True TransportError: 3 calls wait for a worker already, which is the most \(TIERUP_CALL_QUEUE\)$",
                TIERUP_WORKERS="1",
                TIERUP_CALL_QUEUE="3",
            )


if __name__ == "__main__":
    unittest.main()

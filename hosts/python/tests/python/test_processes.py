"""`1:spawn` and `1:pool`, with a program in Python that does what the real one would, and what it never should."""

import sys
import unittest

from conformance._interface import FUNCTIONS
from fixture import Package, built

ECHO_TEXT = next(number for number, function in enumerate(FUNCTIONS) if function.name == "echo_text")

# A worker: `echo_text` gives its argument back, some words are orders; any other function answers `True`.
PROGRAM = f"""#!{sys.executable}
import os, signal, struct, sys, time
mode, *rest = sys.argv[1:]
# before
def answer(number, args):
    if number != {ECHO_TEXT}: return b"\\0\\1"
    text = args[4:].decode()
    if text == "exit": print("last words", file=sys.stderr); sys.exit(7)
    if text == "kill": os.kill(os.getpid(), signal.SIGKILL)
    if text == "hang": time.sleep(3600)
    if text == "slow": time.sleep(0.3)
    if text == "error": return b"\\1\\2\\0\\0\\0no"
    if text == "panic": return b"\\2\\2\\0\\0\\0no"
    if text == "garbage": return b"\\x09"
    if text == "twice": os.write(1, b"\\1\\0\\0\\0\\0")
    if text == "pid": args = struct.pack("<I", len(str(os.getpid()))) + str(os.getpid()).encode()
    return b"\\0" + args
out, source = sys.stdout.buffer, sys.stdin.buffer
if mode == "--tierup-call":
    out.write(answer(int(rest[0]), source.read()))
else:
    out.write(struct.pack("<Q", int(rest[0], 16))); out.flush()
    while True:
        header = source.read(8)
        if len(header) < 8: break
        length, number = struct.unpack("<II", header)
        body = answer(number, source.read(length - 4))
        out.write(struct.pack("<I", len(body)) + body); out.flush()
"""

BOTH = built("1:spawn", "1:pool")

HELP = """
def outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


@unittest.skipIf(sys.platform == "win32", "programs are scripts here")
class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = Package(BOTH, program=PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.package.close()

    def check(self, code, *lines, package=None, **environment):
        said, _ = (package or self.package).run(HELP + code, **environment)
        self.assertEqual(len(said.splitlines()), len(lines), said)
        for line, expected in zip(said.splitlines(), lines):
            self.assertRegex(line, expected)

    def test_answers_errors_panics_and_ends(self):
        for tier in ("1:spawn", "1:pool"):
            self.check(
                f"""
c = bind(tier={tier!r})
print(c.echo_text("ä€😀"), c.echo_bool(False))
for word in ("error", "panic", "garbage", "exit", "kill", "next"):
    print(outcome(c.echo_text, word))
print(outcome(c.echo_text, 7))
long = "x" * (1 << 24)
assert c.echo_text(long) == long
c.close()
""",
                "^ä€😀 True$",
                "^CallError: no$",
                "^PanicError: no$",
                "^TransportError: cannot read the answer of echo_text: .*too early$",
                "^TransportError: .*conformance ended with exit code 7: standard error has its last words$",
                "^TransportError: .*conformance was ended by SIGKILL$",
                "^next$",
                "^TypeError: text: expected a str, got 7$",
            )

    def test_an_answer_that_nobody_asked_for_is_not_taken_for_another(self):
        self.check(
            """
c = bind(tier="1:pool")
print(outcome(c.echo_text, "twice"))
time.sleep(0.2)
print(c.echo_text("next"))
c.close()
""",
            "^TransportError: ",
            "^next$",
            TIERUP_WORKERS="1",
        )

    def test_only_the_call_that_was_executed_is_lost_with_its_worker(self):
        self.check(
            """
from concurrent.futures import ThreadPoolExecutor
c = bind(tier="1:pool")
with ThreadPoolExecutor(16) as threads:
    words = ["kill" if n % 10 == 3 else f"call {n}" for n in range(100)]
    outcomes = list(threads.map(lambda word: outcome(c.echo_text, word), words))
print(all("SIGKILL" in found if word == "kill" else found == word for word, found in zip(words, outcomes)))
c.close()
""",
            "^True$",
            TIERUP_WORKERS="2",
        )

    def test_calls_go_to_whoever_is_free(self):
        self.check(
            """
c = bind(tier="1:pool")
c.ready()
slow = threading.Thread(target=c.echo_text, args=("slow",))
slow.start()
time.sleep(0.05)
start = time.monotonic()
for word in "abc": c.echo_text(word)
print(time.monotonic() - start < 0.2 or "a free worker was not used")
slow.join()
c.close()
""",
            "^True$",
            TIERUP_WORKERS="2",
        )

    def test_close_answers_what_is_under_way_then_ends_the_workers(self):
        self.check(
            """
first, second = bind(tier="1:pool"), bind(tier="1:pool")
pid = int(first.echo_text("pid"))
first.close()
first.close()
print(second.echo_text("still there"))
answers = []
threads = [threading.Thread(target=lambda: answers.append(second.echo_text("slow"))) for _ in range(6)]
for thread in threads: thread.start()
time.sleep(0.1)
second.close()
for thread in threads: thread.join()
print(len(answers), set(answers), outcome(second.echo_text, "late"))
try: os.kill(pid, 0)
except ProcessLookupError: print("gone")
with bind(tier="1:pool") as again: print(again.echo_text("x"))
""",
            "^still there$",
            r"^[1-6] {'slow'} TransportError: the pool is closed$",
            "^gone$",
            "^x$",
            TIERUP_WORKERS="6",
        )

    def test_the_packages_own_functions_are_bound_once_by_whoever_comes_first(self):
        self.check(
            """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(16) as threads:
    print(set(threads.map(echo_text, ["x"] * 100)), conformance.tier)
print(conformance._tierup.tiers._shared["1:pool"].users)
parent = echo_text("pid")
child = os.fork()
if child == 0:
    own = echo_text("pid")
    close()
    os._exit(0 if own != parent else 1)
print(os.waitpid(child, 0)[1], echo_text("pid") == parent)
close()
close()
print(outcome(echo_text, "late"))
""",
            r"^{'x'} 1:pool$",
            "^1$",
            "^0 True$",
            "^TransportError: the pool is closed$",
            TIERUP_TIER="1:pool",
            TIERUP_WORKERS="1",
        )

    def test_workers_that_die_at_their_start_are_told(self):
        with Package(BOTH, program=PROGRAM.replace("# before", "sys.exit(2)")) as broken:
            code = """
c = bind(tier="1:pool")
print(outcome(c.ready))
print(outcome(c.echo_text, "a"))
c.close()
"""
            self.check(code, "^TransportError: .*exit code 2", "^TransportError: .*exit code 2", package=broken)

    def test_a_worker_with_another_interface_is_not_believed(self):
        with Package(BOTH, program=PROGRAM.replace("int(rest[0], 16)", "0x1234")) as other:
            code = "c = bind(tier='1:pool')\nprint(outcome(c.echo_text, 'a'))\nc.close()"
            self.check(code, "^TransportError: .*built for another interface: run `tierup build`$", package=other)

    def test_a_program_that_cannot_be_run_is_an_error_at_the_start(self):
        with Package(BOTH) as missing:
            for tier in ("1:spawn", "1:pool"):
                words = f"^Unavailable: .* cannot run at tier {tier}: artifacts/conformance is missing: run"
                self.check(f"print(outcome(lambda: bind(tier={tier!r})))", words, package=missing)

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

    def test_close_gives_up_a_call_that_does_not_end(self):
        self.check(
            """
c = bind(tier="1:pool")
pid = int(c.echo_text("pid"))
outcomes = []
thread = threading.Thread(target=lambda: outcomes.append(outcome(c.echo_text, "hang")))
thread.start()
time.sleep(0.2)
c.close()
thread.join()
print(*outcomes)
try: os.kill(pid, 0)
except ProcessLookupError: print("gone")
""",
            "^TransportError: the pool was closed before the call was answered$",
            "^gone$",
            TIERUP_WORKERS="1",
        )

    def test_an_idle_worker_that_was_killed_is_replaced_without_a_loss(self):
        self.check(
            """
import signal
c = bind(tier="1:pool")
os.kill(int(c.echo_text("pid")), signal.SIGKILL)
time.sleep(0.2)
print(c.echo_text("next"))
c.close()
""",
            "^next$",
            TIERUP_WORKERS="1",
        )

    def test_a_worker_outlives_the_thread_that_came_first(self):
        self.check(
            """
c = bind(tier="1:pool")
pids = set()
for _ in range(3):
    thread = threading.Thread(target=lambda: pids.add(c.echo_text("pid")))
    thread.start()
    thread.join()
print(len(pids))
c.close()
""",
            "^1$",
            TIERUP_WORKERS="1",
        )

    def test_a_forked_child_leaves_its_parents_workers_alone(self):
        self.check(
            """
c = bind(tier="1:pool")
parent = c.echo_text("pid")
child = os.fork()
if child == 0:
    own = c.echo_text("pid")
    c.close()
    os._exit(0 if own != parent else 1)
print(os.waitpid(child, 0)[1], c.echo_text("pid") == parent)
c.close()
""",
            "^0 True$",
            TIERUP_WORKERS="1",
        )

    def test_the_command_runs_the_program(self):
        with Package(built("1:pool"), program=f"#!/bin/sh\necho \"ran with $1\"\nexit 3\n") as package:
            code = "import runpy\nsys.argv = ['conformance', 'x']\nrunpy.run_module('conformance', run_name='__main__')"
            ended = package.end(code)
            self.assertEqual((ended.stdout, ended.returncode), ("ran with x\n", 3), ended.stderr)
        with Package({}) as package:
            self.assertIn("it was not built: run `tierup build --tiers 1:spawn`", package.end(code).stderr)


if __name__ == "__main__":
    unittest.main()

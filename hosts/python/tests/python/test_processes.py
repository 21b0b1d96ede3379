"""`1:spawn` and `0:workers`, whose pool is that of `1:pool`: answers, failures, ends and forks."""

import unittest

from fixture import Package, built
from processes import SPAWN, ProcessTest


class Processes(ProcessTest):
    def test_answers_errors_panics_and_ends(self):
        self.check(
            """
c = bind(tier="1:spawn")
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

    def test_only_the_call_that_was_executed_is_lost_with_its_worker(self):
        self.check(
            """
from concurrent.futures import ThreadPoolExecutor
c = bound("0:workers")
with ThreadPoolExecutor(16) as threads:
    words = ["kill" if n % 10 == 3 else f"call {n}" for n in range(100)]
    outcomes = list(threads.map(lambda word: outcome(c.echo_text, word), words))
print(all("SIGKILL" in found if word == "kill" else found == word for word, found in zip(words, outcomes)))
c.close()
""",
            "^True$",
            TIERUP_WORKERS="2",
        )

    def test_close_waits_for_running_calls_then_ends_the_workers(self):
        self.check(
            """
first, second = bound("0:workers"), bound("0:workers")
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
with bound("0:workers") as again: print(again.echo_text("x"))
""",
            "^still there$",
            r"^[1-6] {'slow'} TransportError: the pool is closed$",
            "^gone$",
            "^x$",
            TIERUP_WORKERS="6",
        )

    def test_a_program_that_cannot_run_is_an_error_at_the_start(self):
        with Package(built("1:spawn", "1:pool")) as missing:
            for tier in ("1:spawn", "1:pool"):
                words = f"^Unavailable: .* cannot run at tier {tier}: artifacts/conformance is missing: run"
                self.check(f"print(outcome(lambda: bind(tier={tier!r})))", words, package=missing)

    def test_the_first_call_binds_the_packages_own_functions_once(self):
        self.check(
            """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(16) as threads:
    print(set(threads.map(echo_text, ["x"] * 50)), conformance.tier)
print(conformance._tierup.tiers._shared["1:spawn"].users)
""",
            r"^{'x'} 1:spawn$",
            "^1$",
            TIERUP_TIER="1:spawn",
        )

    def test_close_gives_up_a_call_that_hangs(self):
        self.check(
            """
c = bound("0:workers")
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
c = bound("0:workers")
worker = int(c.echo_text("pid"))
os.kill(worker, signal.SIGKILL)
os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
print(c.echo_text("next"))
c.close()
""",
            "^next$",
            TIERUP_WORKERS="1",
        )

    def test_a_forked_child_leaves_its_parents_workers_alone(self):
        self.check(
            """
c = bound("0:workers")
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

"""Forked children: what they must not keep open, and what must not be kept for them."""

import gc
import os
import sys
import tempfile
import unittest
import weakref
from pathlib import Path

import conformance
import own
from fixture import Package, built
from processes import HELP, PROGRAM

# It reports its start, and waits until it may continue.
WAITING = PROGRAM.replace(
    "# before",
    """open(os.environ["FOLDER"] + "/begun", "w").close()
while not os.path.exists(os.environ["FOLDER"] + "/go"): time.sleep(0.01)""",
)

# Forks a child that stays until it is released.
FORK = """
def file(name): return os.environ["FOLDER"] + "/" + name
def fork():
    while not os.path.exists(file("begun")): time.sleep(0.01)
    source, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        os.read(source, 1)
        os._exit(0)
    os.close(source)
    open(file("go"), "w").close()
    def let_go():
        os.close(end)
        os.waitpid(child, 0)
    return let_go
"""


@unittest.skipUnless(hasattr(os, "fork"), "forks")
class Pipes(unittest.TestCase):
    def run_waiting(self, code, **environment):
        with Package(built("1:spawn"), program=WAITING) as package, tempfile.TemporaryDirectory() as folder:
            said, _ = package.run(FORK + code, FOLDER=folder, **environment)
            return said, sorted(path.name for path in Path(folder).iterdir())

    def test_a_call_is_answered_although_a_child_was_forked(self):
        # Larger than a pipe's buffer, so the program has not read all of it when the child is forked.
        code = """
c = bind(tier="1:spawn")
text, answers = "x" * (1 << 24), []
call = threading.Thread(target=lambda: answers.append(c.echo_text(text)), daemon=True)
call.start()
let_go = fork()
call.join(30)
print(answers == [text])
let_go()
"""
        self.assertEqual(self.run_waiting(code), ("True\n", ["begun", "go"]))

    def test_a_fork_waits_for_a_process_that_is_being_started(self):
        with Package(built("1:spawn"), program=PROGRAM) as package:
            said, _ = package.run("""
import subprocess
half, go_on, popen = threading.Event(), threading.Event(), subprocess.Popen
class Slow(popen):
    def __init__(self, *args, **options):
        half.set()
        go_on.wait()
        super().__init__(*args, **options)
c = bind(tier="1:spawn")
subprocess.Popen = Slow
call = threading.Thread(target=c.echo_text, args=("x",))
call.start()
half.wait()
def fork():
    if os.fork() == 0: os._exit(0)
    os.wait()
forking = threading.Thread(target=fork)
forking.start()
forking.join(0.3)
print(forking.is_alive())
go_on.set()
forking.join()
call.join()
""")
            self.assertEqual(said, "True\n")


class Kept(unittest.TestCase):
    def test_a_closed_binding_is_freed(self):
        binding = conformance.bind(baseline=own, tier="0:free")
        variant = weakref.ref(binding._tierup_variant)
        binding.close()
        del binding
        gc.collect()
        self.assertIsNone(variant())

    @unittest.skipIf(sys.platform == "win32", "programs are scripts here")
    def test_a_closed_variant_with_processes_is_freed(self):
        with Package(built("1:spawn"), program=PROGRAM) as package:
            code = """
import gc, weakref
for tier in ("1:spawn", "0:workers"):
    binding = bound(tier)
    binding.echo_text("x")
    variant = weakref.ref(binding._tierup_variant)
    binding.close()
    del binding
    gc.collect()
    print(variant(), threading.active_count())
"""
            self.assertEqual(package.run(HELP + code)[0], "None 1\n" * 2)


if __name__ == "__main__":
    unittest.main()

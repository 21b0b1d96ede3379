"""TIERUP_ROLLOUT in programs of their own: forks, signals, daemons, errors and values of Python."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys

import pytest

import conformance
from processes import wait_until
from rollouts import SHADOW, SHARE, counts, host

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix sockets")


def run(path, code):
    """Runs code with the package in a process of its own."""
    own = "import conformance, os, signal\nclass Own:\n  echo_text = staticmethod(str)\n  hang_on = staticmethod(len)\nc = conformance.bind(tier='0', baseline=Own())\nc.ready()\n"
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", own + code]
    return subprocess.run(command, env={**os.environ, "TIERUP_ROLLOUT": str(path)}, capture_output=True, text=True, timeout=120)


def answers(path, lines, code):
    """Runs code, which must succeed within a minute, and returns the words that it prints."""
    path.write_text(lines)
    ended = run(path, "import contextlib, random, sys, threading, time\nsignal.alarm(60)\n" + code)
    assert ended.returncode == 0, ended
    return ended.stdout.split()


def test_errors_that_cannot_be_printed_are_the_callers(path):
    code = """
class Bad(Exception):
  def __str__(self): raise KeyError("its own")
class Number:
  def __index__(self): raise Bad
class Own:
  def fail(self, words): raise Bad
  def make_bytes(self, length): return b"x"
b = conformance.bind(tier="0", baseline=Own())
for _ in range(2):
  try: b.fail("x")
  except Bad: print("Bad")
  print(b.make_bytes(Number()))
"""
    for lines in (SHADOW, SHARE):
        assert answers(path, lines, code) == ["Bad", "b'x'"] * 2


def test_calls_of_signal_handlers_in_the_middle_of_a_call_are_answered(path):
    code = """
signal.signal(signal.SIGPROF, lambda *_: c.echo_text("b"))
signal.setitimer(signal.ITIMER_PROF, 0.0005, 0.0005)
for _ in range(60_000): c.echo_text("a")
signal.setitimer(signal.ITIMER_PROF, 0)
print(c.echo_text("a"))
"""
    assert answers(path, f"{SHARE}shadow=1\n", code) == ["a"]


def test_a_time_limit_by_a_signal_ends_the_call(path):
    code = """
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGUSR1, late)
class Number:
  def __index__(self):
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(0)
    return 1
calls = []
class Own:
  def make_bytes(self, length): calls.append(1)
b = conformance.bind(tier="0", baseline=Own())
try: print(b.make_bytes(Number()))
except Late: print("Late")
print(len(calls))
"""
    for lines in (SHARE, SHADOW):
        assert answers(path, lines, code) == ["Late", "0"]


def test_an_interrupted_call_is_over(path):
    code = """
class Number:
  def __index__(self): raise KeyboardInterrupt
with contextlib.suppress(KeyboardInterrupt): c.make_bytes(Number())
folder = os.environ["TIERUP_ROLLOUT"] + ".evidence/"
print(*[open(folder + name).read(1) for name in os.listdir(folder) if name.endswith(".call")])
"""
    assert answers(path, SHARE, code) == ["0"]


def test_a_broken_connection_ends_nobody_who_wants_to_be_ended_by_broken_pipes(path):
    code = f"""
sys.path.insert(0, {os.path.dirname(__file__)!r})
from processes import programs
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for pid in programs(): os.kill(pid, signal.SIGKILL)
time.sleep(0.1)
for _ in range(10): c.echo_text("a")
print("lives")
"""
    assert answers(path, SHADOW, code) == ["lives"]


def test_children_that_are_forked_while_a_thread_binds_can_bind(path):
    code = """
from conformance._tierup import control
held = threading.Event()
def hold():
  control._lock.acquire()
  held.set()
  time.sleep(3)
  control._lock.release()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
  signal.alarm(20)
  conformance.bind(tier="0", baseline=Own()).close()
  os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert answers(path, SHADOW, code) == ["0"]


def test_the_servers_own_random_numbers_stay_as_they_are(path):
    code = """
random.seed(1)
expected = [random.random() for _ in range(3)]
random.seed(1)
c.echo_text("a")
print([random.random() for _ in range(3)] == expected)
"""
    assert answers(path, f"{SHARE.replace('=1', '=0.5')}shadow=0.5\n", code) == ["True"]


def test_calls_do_not_wait_for_whoever_reads_standard_error(path):
    code = """
Own.panic_if = staticmethod(lambda condition, text: text)
b = conformance.bind(tier="0", baseline=Own())
output, input = os.pipe()
os.set_blocking(input, False)
with contextlib.suppress(BlockingIOError):
  while True: os.write(input, bytes(1024))
os.set_blocking(input, True)
os.dup2(input, 2)
signal.alarm(20)
for _ in range(300): b.panic_if(True, "x")
os.write(1, b"done")
os._exit(0)
"""
    assert answers(path, SHARE, code) == ["done"]


def test_a_file_that_is_removed_counts_soon_even_if_the_other_end_hangs(path):
    code = f"""
sys.path.insert(0, {os.path.dirname(__file__)!r})
from processes import programs
Own.echo_text = staticmethod(lambda text: "own")
b = conformance.bind(tier="0", baseline=Own())
b.ready()
while b.echo_text("a") != "a": time.sleep(0.1)
first, *more = programs()
os.kill(first, signal.SIGSTOP)
for pid in more: os.kill(pid, signal.SIGKILL)
for _ in range(30):
  b.echo_text("a")
  time.sleep(0.1)
os.unlink(os.environ["TIERUP_ROLLOUT"])
end = time.monotonic() + 8
while b.echo_text("a") != "own" and time.monotonic() < end: time.sleep(0.1)
print(b.echo_text("a"))
os.kill(first, signal.SIGKILL)
os._exit(sys.stdout.flush() or 0)
"""
    assert answers(path, SHARE, code) == ["own"]


def test_a_path_that_is_no_text_does_not_end_who_reads_it(path):
    strange = path.with_name(os.fsdecode(b"roll\xffout"))
    strange.write_text(f"{SHARE}shadow=1\n")
    code = """
import time
os.unlink(os.environ["TIERUP_ROLLOUT"])
Own.echo_text = staticmethod(lambda text: "own")
b = conformance.bind(tier="0", baseline=Own())
end = time.monotonic() + 10
while b.echo_text("a") != "own" and time.monotonic() < end: time.sleep(0.1)
print(b.echo_text("a"))
"""
    ended = run(strange, code)
    assert (ended.stdout, "Traceback" in ended.stderr) == ("own\n", False), ended


def test_files_of_a_daemon_that_has_closed_ours_are_not_touched(path, tmp_path):
    code = f"""
os.closerange(3, 100)
files = [os.open({str(tmp_path)!r} + f"/own{{number}}", os.O_RDWR | os.O_CREAT) for number in range(60)]
are = [os.fstat(file) for file in files]
for _ in range(40):
  c.echo_text("a")
  time.sleep(0.1)
now = [os.fstat(file) for file in files]
print(all(one.st_size == 0 and one.st_ino == other.st_ino for one, other in zip(now, are)))
sys.stdout.flush()
os._exit(0)
"""
    assert answers(path, f"{SHARE.replace('=1', '=0.5')}shadow=1\n", code) == ["True"]


def test_a_new_generation_during_a_call_is_no_death(path):
    code = """
from conformance._tierup import control
before = control._rollout.deaths
before.enter()
with open(os.environ["TIERUP_ROLLOUT"], "a") as file: file.write("generation=2\\n")
while control._rollout.deaths is before: time.sleep(0.1)
before.leave()
print(*[name for name in os.listdir(os.environ["TIERUP_ROLLOUT"] + ".evidence") if name.endswith(".died")])
"""
    assert answers(path, SHARE, code) == []


def test_what_is_too_large_is_not_copied_in_a_call(path):
    code = """
from collections.abc import Sequence
class Many(Sequence):
  read = 0
  def __len__(self): return 1_000_000
  def __getitem__(self, at):
    Many.read += 1
    if at < 1_000_000: return "x"
    raise IndexError
Own.echo_texts = Own.echo_bytes = staticmethod(len)
b = conformance.bind(tier="0", baseline=Own())
import tracemalloc
tracemalloc.start()
print(b.echo_texts(Many()), Many.read, b.echo_bytes(memoryview(bytearray(50_000_000))), tracemalloc.get_traced_memory()[1] < 60_000_000)
"""
    for lines in (SHADOW, SHARE.replace("=1", "=0.000001") + "by=input\n"):
        assert answers(path, lines, code) == ["1000000", "0", "50000000", "True"]


def test_calls_that_are_cancelled_are_no_part_of_the_sample(path, monkeypatch):
    class Slow:
        async def echo_text(self, text):
            await asyncio.sleep(60)

    async def cancelled(c):
        for _ in range(3):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(c.echo_text_async("a"), 0.01)

    path.write_text(SHADOW)
    monkeypatch.setenv("TIERUP_ROLLOUT", str(path))
    with conformance.bind(tier="0", baseline=Slow()) as c:
        c.ready()
        wait_until(lambda: counts(path), "there is no evidence")
        asyncio.run(cancelled(c))
    found = host(path)
    assert (found["calls"], found["sampled"]) == (3, 0)


@pytest.mark.skipif(not hasattr(signal, "sigwait"), reason="POSIX")
def test_a_signal_arrives_where_the_server_waits_for_it(path):
    code = """
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
os.kill(os.getpid(), signal.SIGTERM)
print(signal.sigwait({signal.SIGTERM}).name)
"""
    assert answers(path, SHADOW, code) == ["SIGTERM"]


def test_bindings_that_are_closed_at_once_leave_nothing(path):
    code = f"""
sys.path.insert(0, {os.path.dirname(__file__)!r})
import atexit
from processes import programs
c.close()
count = atexit._ncallbacks()
for _ in range(10):
  conformance.bind(tier="0", baseline=Own()).close()
time.sleep(2)
names = os.listdir(os.environ["TIERUP_ROLLOUT"] + ".evidence")
print(len(programs()), threading.active_count(), atexit._ncallbacks() - count, *[name for name in names if name.endswith(".call")])
"""
    assert answers(path, f"{SHARE}shadow=1\n", code) == ["0", "1", "0"]


def test_a_binding_without_a_thread_is_the_control(path):
    code = """
c.close()
def start(thread): raise RuntimeError("can't start new thread")
threading.Thread.start, begin = start, threading.Thread.start
b = conformance.bind(tier="0", baseline=Own())
threading.Thread.start = begin
print(b.echo_text("a"))
os.environ["TIERUP_START_TIMEOUT"] = "soon"
print(conformance.bind(tier="0", baseline=Own()).echo_text("a"))
"""
    assert answers(path, SHARE, code) == ["a", "a"]


def test_a_panic_of_the_bindings_own_code_is_answered_by_the_control(path):
    code = """
from conformance._tierup import control
class PanicException(BaseException): pass
def panics(*_): raise PanicException
calls = control._rollout.in_force.calls
calls[:] = [panics] * len(calls)
print(c.echo_text("a"))
"""
    assert answers(path, SHARE, code) == ["a"]


def test_children_that_are_forked_while_the_candidate_is_imported_can_import_it(path):
    code = """
c.close()
statuses = set()
for _ in range(8):
  child = os.fork()
  if child == 0:
    signal.alarm(30)
    b = conformance.bind(tier="0", baseline=Own())
    while "wasmtime" not in sys.modules: time.sleep(0.001)
    child = os.fork()
    if child == 0:
      signal.alarm(20)
      import wasmtime
      wasmtime.Config, wasmtime.Instance
      os._exit(0)
    os._exit(os.waitpid(child, 0)[1] != 0)
  statuses.add(os.waitpid(child, 0)[1])
print(*statuses)
"""
    own = path.with_name("own")
    own.write_text("")
    code = f"os.environ['TIERUP_ROLLOUT'] = {str(path)!r}\n" + code
    path.write_text("candidate=2:core\nshare=1\n")
    ended = run(own, "import signal, sys, threading, time\n" + code)
    assert ended.stdout == "0\n", ended


def test_a_call_of_a_signal_handler_does_not_wait_for_the_worker_of_the_call_it_interrupts(path, monkeypatch):
    monkeypatch.setenv("TIERUP_WORKERS", "1")
    code = """
signal.signal(signal.SIGUSR1, lambda *_: c.echo_text("b"))
def send():
  while True:
    time.sleep(0.002)
    os.kill(os.getpid(), signal.SIGUSR1)
threading.Thread(target=send, daemon=True).start()
signal.alarm(40)
for _ in range(2000): c.echo_text("a")
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
print(c.echo_text("a"))
"""
    assert answers(path, SHARE.replace("3:native", "1:pool"), code) == ["a"]

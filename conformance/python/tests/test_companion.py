"""`1:pool`: a worker that does not start, and forks. What all languages promise is in `crates/tierup/tests/conformance/starts.rs`."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import conformance
from processes import programs, wait_until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix sockets")


def test_calls_that_have_a_worker_do_not_learn_that_another_did_not_start(tmp_path):
    """Only the first worker starts."""
    package = tmp_path / "conformance"
    shutil.copytree(Path(conformance.__file__).parent, package)
    shutil.copy(Path(__file__).parents[2] / ".tierup/python/built.json", package)
    program = package / "artifacts/conformance"
    program.rename(f"{program}.real")
    program.write_text("""#!/bin/bash
[ "$1" = --tierup-companion ] && exec -a "$0" "$0.real" "$@"
mkdir "$0.started" 2>/dev/null || { sleep 0.5; exit 2; }
exec "$0.real" "$@"
""")
    program.chmod(0o755)
    code = """
import conformance
from concurrent.futures import ThreadPoolExecutor
c = conformance.bind(tier="1:pool")
with ThreadPoolExecutor(20) as threads:
    print(set(threads.map(lambda n: c.echo_text(f"call {n}"), range(20))) == {f"call {n}" for n in range(20)})
try:
    c.ready()
except conformance.TransportError as error:
    print(error)
c.close()
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "TIERUP_WORKERS": "2"}
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", code]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, f"True\n{program} ended with exit code 2: standard error has its last words\n"), ended.stderr


def test_a_forked_child_uses_its_parents_companion_while_there_is_one():
    with conformance.bind(tier="1:pool") as c:
        c.ready()
        for parent_has_one in (True, False):
            if not parent_has_one:
                kill(*programs(mark="--tierup-companion"))
                wait_until(lambda: not programs(mark="--tierup-companion"), "the companion lives on")
            child = os.fork()
            if child == 0:
                right = c.echo_text("x") == "x" and bool(programs(mark="--tierup-companion")) is not parent_has_one
                c.close()
                os._exit(0 if right and not programs() else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert c.echo_text("parent") == "parent"


def kill(*processes):
    for process in processes:
        # The process may have ended already.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

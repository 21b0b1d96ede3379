"""How this folder's server starts, survives and stops. What it answers is the contract, which `../node/test` checks."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif("TIERUP_URL" in os.environ, reason="TIERUP_URL names another server")


@pytest.fixture
def start():
    """Starts servers with more in their environment; none of them outlives its test."""
    running = []

    def start(**environment):
        settings = {**os.environ, "HOST": "127.0.0.1", "PORT": "0", "TIERUP_WORKERS": "2", **environment}
        server = subprocess.Popen(
            [sys.executable, "server.py"],
            cwd=FOLDER,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running.append(server)
        return server

    yield start
    for server in running:
        try:
            os.killpg(server.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        server.communicate()


def listening(server):
    """Where it says that it listens."""
    line = server.stdout.readline()
    found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+) \(tier \S+, 2 workers\)\n", line)
    assert found, line + server.stderr.read()
    return found[1]


def ask(url, body=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


BODY = b'{"name":"x","variants":[{"name":"a","allocation_percent":100}]}'


def test_it_answers_survives_and_ends_when_it_is_asked_to(start):
    server = start(EXPERIMENTS_NOW="0")
    url = listening(server)
    assert ask(f"{url}/livez") == (200, b"ok")
    assert ask(f"{url}/readyz") == (200, b"ok")
    assert ask(f"{url}/experiments", BODY) == (200, BODY)
    fingerprint = BODY.replace(b"x", b"db251db6461498e4f29654b8c6e5ef24")
    assert ask(f"{url}/experiments?fingerprint=md5", BODY) == (200, fingerprint)
    assert ask(f"{url}/other", BODY)[0] == 404

    for worker in workers_of(server.pid):
        os.kill(worker, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while True:
        try:
            assert ask(f"{url}/experiments", BODY)[0] == 200
            break
        except OSError:
            # Its connection ended with the worker.
            assert time.monotonic() < deadline
            time.sleep(0.1)

    os.killpg(server.pid, signal.SIGINT)
    assert server.wait(30) == 0


def test_a_port_in_use_is_said_once(start):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = start(PORT=str(port))
        said, errors = server.communicate(timeout=60)
    assert (server.returncode, said) == (1, "")
    assert errors == f"cannot listen on 127.0.0.1:{port}: Address already in use\n"


WRONG = [("PORT", "70000"), ("TIERUP_WORKERS", "1.5"), ("EXPERIMENTS_NOW", "now")]


@pytest.mark.parametrize("name, value", WRONG)
def test_settings_that_make_no_sense_end_it(start, name, value):
    server = start(**{name: value})
    said, errors = server.communicate(timeout=60)
    assert (server.returncode, said) == (1, "")
    assert re.fullmatch(rf'{name} must be a whole number from \d+ to \d+, not "{value}"\n', errors)


def test_a_tier_that_cannot_be_had_ends_it(start):
    server = start(TIERUP_TIER="9")
    said, errors = server.communicate(timeout=60)
    assert (server.returncode, said) == (1, "")
    assert errors.startswith("9 is not a tier: use 0, ")


def workers_of(pid):
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    children = [line.split(None, 1) for line in listed.splitlines()]
    # Beside the workers, multiprocessing has a process that keeps its accounts.
    return [int(child) for child, line in children if "spawn_main" in line]

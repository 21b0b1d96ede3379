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
    found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+) \(tier \S+, \d+ workers\)\n", line)
    assert found, line + server.stderr.read()
    return found[1]


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_it_answers_and_ends_when_it_is_asked_to(start):
    server = start()
    url = listening(server)
    assert get(f"{url}/livez") == (200, b"ok")
    assert get(f"{url}/readyz") == (200, b"ok")
    status, picture = get(f"{url}/qrcode?text=tierup")
    assert (status, picture[:8]) == (200, b"\x89PNG\r\n\x1a\n")
    assert get(f"{url}/qrcode?text=%FF") == (400, b"malformed query string")
    assert get(f"{url}/other") == (404, b"not found")
    os.killpg(server.pid, signal.SIGINT)
    assert server.wait(30) == 0


def test_a_worker_that_dies_is_replaced(start):
    server = start()
    url = listening(server)
    get(f"{url}/livez")
    for worker in workers_of(server.pid):
        os.kill(worker, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while True:
        try:
            assert get(f"{url}/qrcode?text=x")[0] == 200
            break
        except OSError:
            # Its connection ended with the worker.
            assert time.monotonic() < deadline
            time.sleep(0.1)
    server.terminate()
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


@pytest.mark.parametrize("name, value", [("PORT", "70000"), ("PORT", "http"), ("TIERUP_WORKERS", "0")])
def test_settings_that_make_no_sense_end_it(start, name, value):
    server = start(**{name: value})
    said, errors = server.communicate(timeout=60)
    assert (server.returncode, said) == (1, "")
    assert re.fullmatch(rf'{name} must be a whole number from .*, not "{value}"\n', errors)


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

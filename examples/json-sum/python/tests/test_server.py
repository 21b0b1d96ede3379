"""How this folder's server starts, posts, and stops. What it answers is the contract, which `../node/test` checks."""

import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
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


@pytest.fixture
def downstream():
    """The service behind: it is content with everything, and keeps it in `posted`."""

    class Recorder(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            recorder.posted.append((self.path, self.headers["Content-Type"], body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    recorder = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    recorder.posted = []
    recorder.url = f"http://127.0.0.1:{recorder.server_address[1]}"
    thread = threading.Thread(target=recorder.serve_forever, daemon=True)
    thread.start()
    yield recorder
    recorder.shutdown()
    recorder.server_close()
    thread.join()


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


def test_it_answers_survives_and_ends_when_it_is_asked_to(start, downstream):
    server = start(DOWNSTREAM_URL=downstream.url + "/")
    url = listening(server)
    assert ask(f"{url}/livez") == (200, b"ok")
    assert ask(f"{url}/readyz") == (200, b"ok")
    good = json.dumps({"items": [{"value": 20}, {"value": 1.0}]}).encode()
    assert ask(url, good) == (200, b'{"ok":true}')
    assert downstream.posted == [("/process", "application/json", b'{"sum":42}')]
    status, words = ask(url, b'{"items":[{"value":1.5}]}')
    assert (status, words) == (400, b"items[0].value is not a whole number of up to 2^53 - 1")
    assert ask(f"{url}/other", good) == (404, b"not found")

    for worker in workers_of(server.pid):
        os.kill(worker, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while True:
        try:
            assert ask(url, good)[0] == 200
            break
        except OSError:
            # Its connection ended with the worker.
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert len(downstream.posted) == 2

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


def test_settings_that_make_no_sense_end_it(start):
    server = start(PORT="70000")
    said, errors = server.communicate(timeout=60)
    assert (server.returncode, said) == (1, "")
    assert errors == 'PORT must be a whole number from 0 to 65535, not "70000"\n'


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

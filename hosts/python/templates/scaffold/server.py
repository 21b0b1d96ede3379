"""A small server: GET /slug?text=…"""

import os
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import {{module}}
import baseline

# TIERUP_TIER decides how slugify runs: 0 is the baseline, 3:native an extension module, …
rust = {{module}}.bind(baseline=baseline.slugify)


PATHS = ["/slug", "/livez", "/readyz"]


def answer(target):
    """The status and the text for a request's target."""
    url = urlsplit(target)
    if url.path == "/slug":
        texts = parse_qs(url.query).get("text", [])
        if not texts:
            return 400, 'query parameter "text" is missing'
        try:
            return 200, rust.slugify(texts[0])
        except ({{module}}.CallError, baseline.SlugError) as error:
            # The function's own error is for the caller. The message of any other exception may be private.
            return 400, str(error)
    if url.path == "/livez":
        return 200, "ok"
    if url.path == "/readyz":
        try:
            rust.check_health()
        except Exception as error:
            print(f"not ready: {error!r}", file=sys.stderr)
            return 503, "not ready"
        return 200, "ok"
    return 404, "not found"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are written together, so that no packet waits for another.
    wbufsize = -1

    def do_GET(self):
        try:
            status, text = answer(self.path)
        except Exception as error:
            print(f"{self.path}: {error!r}", file=sys.stderr)
            status, text = 500, "internal error"
        self.send_answer(status, text)

    do_HEAD = do_GET

    def not_allowed(self):
        self.close_connection = True  # A body may follow, which nobody reads.
        if urlsplit(self.path).path in PATHS:
            self.send_answer(405, "method not allowed", Allow="GET, HEAD")
        else:
            self.send_answer(404, "not found")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = not_allowed

    def send_answer(self, status, text, **headers):
        body = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    # The number of connections that may wait to be accepted.
    request_queue_size = 512
    # Idle connections must not keep the process alive.
    daemon_threads = True


def main():
    host = os.environ.get("HOST", "127.0.0.1")
    port = int(os.environ.get("PORT", "8080"))
    try:
        server = Server((host, port), Handler)
    except OSError as error:
        sys.exit(f"cannot listen on {host}:{port}: {error}")

    def stop(*_):
        # `shutdown` waits for the loop below, which this handler interrupts, so it needs a thread of its own.
        threading.Thread(target=server.shutdown).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    print(f"listening on http://{host}:{server.server_address[1]} (tier {rust.tier})", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    rust.close()


if __name__ == "__main__":
    main()

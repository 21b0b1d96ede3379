"""The smallest possible server, which `tierup serve` starts here."""

import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import conformance

rust = conformance.bind(baseline={"echo_text": lambda text: text})


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        text = parse_qs(urlsplit(self.path).query).get("text", [""])[0]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(rust.echo_text(text).encode())


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Handler)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print(f"listening on port {server.server_address[1]} (tier {rust.tier})", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass

"""Two processes of threads that share a port. `/` spins in a function of its own."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def spin():
    total = 0
    for number in range(40_000):
        total += number * number
    return total


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        spin()
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
os.fork()
server.serve_forever()

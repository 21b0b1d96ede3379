import asyncio
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from lib import words


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        text = parse_qs(urlsplit(self.path).query).get("text", [""])[0]
        try:
            answer = words.tally(text)
            body = f"{answer.words} {answer.longest} {words.shout(text)} {asyncio.run(words.later(text))}".encode()
            self.send_response(200)
        except ValueError as error:
            body = str(error).encode()
            self.send_response(400)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()

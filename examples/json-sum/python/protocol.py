"""Requests that never reach the app, because uvicorn's parser gives up on them."""

import sys

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Protocol(HttpToolsProtocol):
    """uvicorn's own, but for a method that nobody knows: it is not allowed, like all but POST."""

    def send_400_response(self, msg: str) -> None:
        # uvicorn calls this where it has caught what was wrong.
        if not isinstance(sys.exc_info()[1], httptools.HttpParserInvalidMethodError):
            return super().send_400_response(msg)
        words = b"method not allowed"
        self.transport.write(
            b"HTTP/1.1 405 Method Not Allowed\r\nallow: POST\r\ncontent-type: text/plain; charset=utf-8\r\n"
            b"content-length: %d\r\nconnection: close\r\n\r\n%b" % (len(words), words)
        )
        self.transport.close()

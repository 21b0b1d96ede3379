"""The applications of `test_threads.py`: they return the answer of a call before the fork, and of one after it."""

import os

import conformance

rust = conformance.bind()
# If an application is loaded before the fork, the parent has made a call too, with everything that calls set up.
assert rust.echo_text("parent") == "parent"


def wsgi(environ, start_response):
    body = f"{rust.print_and_return('forunko')} {os.getpid()}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    body = f"{await rust.print_and_return_async('forunko')} {os.getpid()}".encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})

"""What is around a body: how large headers may be, and how a body is read. uvicorn has no limits of its own."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 1024 * 1024
MOST_HEADERS = 100
MOST_HEADER_BYTES = 16 * 1024


class LimitedHeaders:
    """Refuses requests with more headers, or larger ones, before anything looks at them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = scope["headers"]
        size = len(scope["raw_path"]) + len(scope["query_string"]) + sum(map(size_of_line, headers))
        if len(headers) <= MOST_HEADERS and size <= MOST_HEADER_BYTES:
            return await self.app(scope, receive, send)
        words = f"more than {MOST_HEADERS} headers, or {MOST_HEADER_BYTES} bytes of them"
        await PlainTextResponse(words, 431)(scope, receive, send)


def size_of_line(header: "tuple[bytes, bytes]") -> int:
    return len(header[0]) + len(header[1])


async def read_body(request: Request) -> bytes:
    """The body, whatever its type, with a length or in chunks."""
    if is_compressed(request):
        raise HTTPException(415, "the body must not be compressed")
    too_large = HTTPException(413, f"the body must be <= {MOST_BYTES} bytes")
    length = request.headers.get("content-length")
    # The parser has seen that it is a number.
    if length is not None and int(length) > MOST_BYTES:
        raise too_large
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise too_large
    return bytes(body)


def is_compressed(request: Request) -> bool:
    """Whether there is a body that says so."""
    has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
    encoding = ", ".join(request.headers.getlist("content-encoding"))
    return has_body and encoding.lower() not in ("", "identity")

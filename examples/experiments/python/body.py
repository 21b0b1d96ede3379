"""A request's body, whatever its type, with a length or in chunks."""

from starlette.requests import Request

LARGEST = 64 * 1024


class Refused(Exception):
    """A request that is answered with this status and one problem."""

    def __init__(self, status: int, path: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.path = path
        self.message = message


async def read_body(request: Request) -> bytes:
    if is_compressed(request):
        raise Refused(415, "", "a compressed body is not read")
    too_large = Refused(413, "", "the body is larger than 64 KiB")
    length = request.headers.get("content-length")
    # The parser has seen that it is a number.
    if length is not None and int(length) > LARGEST:
        raise too_large
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise too_large
    return bytes(body)


def is_compressed(request: Request) -> bool:
    """Whether there is a body that says so."""
    has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
    encoding = ", ".join(request.headers.getlist("content-encoding"))
    return has_body and encoding.lower() not in ("", "identity")

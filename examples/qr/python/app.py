"""What the server answers. It knows nothing of processes and ports."""

import logging

import qr
from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException

from query import MalformedQuery, values_of

MAX_BYTES = 512

# TIERUP_TIER decides what runs; the functions of old are imported only where it is theirs.
rust = qr.bind(
    baseline="generate_qr:generate_qr_code",
    baselines={"tuned": "generate_qr_tuned:generate_qr_code"},
)

# `/qrcode/` is another path, and not there.
app = FastAPI(openapi_url=None, redirect_slashes=False)


@app.api_route("/qrcode", methods=["GET", "HEAD"])
async def qrcode(request: Request) -> Response:
    try:
        texts = values_of(request.scope["query_string"], "text")
    except MalformedQuery:
        return PlainTextResponse("malformed query string", 400)
    if len(texts) != 1 or texts[0] == "":
        return PlainTextResponse('missing "text" query param', 400)
    if len(texts[0].encode()) > MAX_BYTES:
        return PlainTextResponse(f"text must be <= {MAX_BYTES} bytes", 400)
    png = await rust.generate_qr_code_async(texts[0])
    return Response(png, media_type="image/png")


@app.api_route("/livez", methods=["GET", "HEAD"])
async def livez() -> Response:
    return PlainTextResponse("ok")


@app.api_route("/readyz", methods=["GET", "HEAD"])
async def readyz() -> Response:
    try:
        await rust.check_health_async()
    except Exception as error:
        return PlainTextResponse(str(error), 503)
    return PlainTextResponse("ok")


@app.exception_handler(HTTPException)
async def refused(_: Request, error: HTTPException) -> Response:
    words = "not found" if error.status_code == 404 else str(error.detail)
    return PlainTextResponse(words, error.status_code, error.headers)


@app.exception_handler(Exception)
async def failed(_: Request, error: Exception) -> Response:
    logging.getLogger("qr").error("a code could not be made: %r", error)
    return PlainTextResponse("failed to generate the QR code", 500)

"""What the server answers. It knows nothing of processes and ports."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import json_sum
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from bad_body import BadBody
from downstream import DownstreamError, connect
from envelope import LimitedHeaders, read_body
from settings import read_settings

# TIERUP_TIER decides what runs; the functions of old are imported only where it is theirs.
rust = json_sum.bind(baseline="sum_items:awaited", baselines={"tuned": "sum_items_tuned:awaited"})


@asynccontextmanager
async def lifespan(_: FastAPI) -> "AsyncIterator[dict]":
    # Tier 0 is the service as it was. All other rows post in the best way that Python has, so that what is between them
    # and `0:tuned` is the function and nothing else.
    async with connect(read_settings().downstream, as_it_was=rust.tier == "0") as post:
        yield {"post": post}


app = FastAPI(openapi_url=None, redirect_slashes=False, lifespan=lifespan)
app.add_middleware(LimitedHeaders)


@app.post("/")
async def sum_up(request: Request) -> Response:
    body = await read_body(request)
    try:
        total = await rust.sum_items_async(body)
    except (BadBody, json_sum.CallError) as error:
        return PlainTextResponse(str(error), 400)
    try:
        await request.state.post(total)
    except DownstreamError as error:
        return PlainTextResponse(str(error), 502)
    return JSONResponse({"ok": True})


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
    words = {404: "not found", 405: "method not allowed"}.get(error.status_code) or str(error.detail)
    return PlainTextResponse(words, error.status_code, error.headers)


@app.exception_handler(ClientDisconnect)
async def gone(_: Request, __: ClientDisconnect) -> Response:
    # Nobody reads it.
    return PlainTextResponse("the body did not arrive", 400)


@app.exception_handler(Exception)
async def failed(_: Request, error: Exception) -> Response:
    logging.getLogger("json-sum").error("items could not be summed up: %r", error)
    return PlainTextResponse("failed to sum up the items", 500)

"""What the server answers. It knows nothing of processes and ports."""

import json
import logging

import experiments
from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from body import Refused, read_body
from query import WrongQuery, wants_fingerprint
from settings import read_settings

# TIERUP_TIER decides what runs; the functions of old are imported only where it is theirs.
rust = experiments.bind(baseline="create_experiment:awaited", baselines={"tuned": "create_experiment_tuned:awaited"})

STATUS = {experiments.OutcomeValid: 200, experiments.OutcomeMalformed: 400, experiments.OutcomeInvalid: 422}
now = read_settings().now
app = FastAPI(openapi_url=None, redirect_slashes=False)


@app.post("/experiments")
async def create(request: Request) -> Response:
    body = await read_body(request)
    try:
        fingerprint_at = now() if wants_fingerprint(request.scope["query_string"]) else None
    except WrongQuery as error:
        return problem(400, "?fingerprint", str(error))
    outcome = await rust.create_experiment_async(body, fingerprint_at)
    return answer(STATUS[type(outcome)], outcome.value)


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
async def nothing_there(request: Request, error: HTTPException) -> Response:
    if error.status_code == 405 and request.scope["path"] == "/experiments":
        return problem(405, "", "only POST is answered here", Allow="POST")
    return problem(404, "", "there is nothing here")


@app.exception_handler(Refused)
async def refused(_: Request, error: Refused) -> Response:
    return problem(error.status, error.path, error.message)


@app.exception_handler(ClientDisconnect)
async def gone(_: Request, __: ClientDisconnect) -> Response:
    # Nobody reads it.
    return problem(400, "", "the request cannot be read")


@app.exception_handler(Exception)
async def failed(_: Request, error: Exception) -> Response:
    logging.getLogger("experiments").error("an experiment could not be checked: %r", error)
    return problem(500, "", "the server failed")


def problem(status: int, path: str, message: str, **headers: str) -> Response:
    errors = {"errors": [{"path": path, "message": message}]}
    return answer(status, json.dumps(errors, separators=(",", ":")), headers)


def answer(status: int, content: str, headers: "dict[str, str] | None" = None) -> Response:
    return Response(content, status, headers, media_type="application/json")

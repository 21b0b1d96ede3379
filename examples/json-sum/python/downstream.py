"""Posts a sum to the service behind this one, and waits for its whole answer.

`with_httpx` is what most would write: one client for all requests, as its documentation says. `with_aiohttp` is what a Python
engineer would do about its cost: aiohttp reads HTTP in C, and does less in Python for each exchange. Both keep connections.
What may have arrived is not sent again: neither repeats a POST.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from settings import Downstream

Post = Callable[[int], Awaitable[None]]

# Seconds for which a connection is kept without use. Many servers close theirs after five, and a sum that is sent at that
# very moment is lost.
IDLE = 4


class DownstreamError(Exception):
    """The service behind did not take the sum."""


def connect(downstream: Downstream, *, as_it_was: bool) -> AbstractAsyncContextManager[Post]:
    """A function that posts, for as long as the context is open."""
    return with_httpx(downstream) if as_it_was else with_aiohttp(downstream)


@asynccontextmanager
async def with_httpx(downstream: Downstream) -> AsyncIterator[Post]:
    # Each client is imported where it is used, for the memory of what does not run.
    import anyio
    import httpx

    async def post(total: int) -> None:
        try:
            with anyio.fail_after(downstream.timeout):
                answer = await client.post(process, json={"sum": total})
        except TimeoutError:
            raise DownstreamError("no answer from downstream (timeout)") from None
        except httpx.HTTPError as error:
            raise no_answer(error) from error
        refuse_unless_good(answer.status_code)

    process = f"{downstream.url}/process"
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE)
    # All of an exchange has one timeout; httpx has them for its parts. Proxies are for the world outside.
    async with httpx.AsyncClient(limits=limits, timeout=None, trust_env=False) as client:
        yield post


@asynccontextmanager
async def with_aiohttp(downstream: Downstream) -> AsyncIterator[Post]:
    import aiohttp

    async def post(total: int) -> None:
        body = json.dumps({"sum": total}, separators=(",", ":")).encode()
        try:
            async with session.post(process, data=body, headers=headers, allow_redirects=False) as answer:
                await answer.read()
        except asyncio.TimeoutError:
            raise DownstreamError("no answer from downstream (timeout)") from None
        except aiohttp.ClientError as error:
            raise no_answer(error) from error
        refuse_unless_good(answer.status)

    process = f"{downstream.url}/process"
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE),
        timeout=aiohttp.ClientTimeout(total=downstream.timeout),
        # What is in the answer does not count, and nobody here has an account there.
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    ) as session:
        yield post


def no_answer(error: Exception) -> DownstreamError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return DownstreamError(f"no answer from downstream ({reason})")


def refuse_unless_good(status: int) -> None:
    if not 200 <= status <= 299:
        raise DownstreamError(f"downstream answered with status {status}")

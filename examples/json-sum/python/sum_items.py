"""Tier 0: how the service added up its items before there was any Rust. json.loads, and a loop.

What it takes is what `JSON.parse` takes, because that is what clients have been talking to. json.loads alone would differ in
four points, so it is told better: NaN and Infinity are no JSON, a number is the float that is nearest to it however many
digits it has, bytes are UTF-8 and nothing else, and how deep a body is nested is its sender's business.
"""

import json

import deep
from bad_body import BadBody

# JavaScript's Number.MAX_SAFE_INTEGER.
LARGEST = 2**53 - 1


def sum_items(body: bytes) -> int:
    """The sum of `value * 2` over the items of `{"items":[{"value":n}, …]}`.

    Raises BadBody for anything else, and where the sum is beyond 2^53 - 1 on its way.
    """
    document = parse(body)
    items = document.get("items") if type(document) is dict else None
    if type(items) is not list:
        raise BadBody('the body is not an object with an array of "items"')
    total = 0.0
    for place, item in enumerate(items):
        value = item.get("value") if type(item) is dict else None
        # Neither true, which is an int to Python, nor an infinity.
        if type(value) is not float or not value.is_integer() or abs(value) > LARGEST:
            raise BadBody(f"items[{place}].value is not a whole number of up to 2^53 - 1")
        total += value * 2
        if abs(total) > LARGEST:
            raise BadBody(f"overflow: at items[{place}] the sum is beyond 2^53 - 1")
    return int(total)


async def awaited(body: bytes) -> int:
    """The same for a server: in its event loop, because a thread would take longer to wake up than this takes."""
    return sum_items(body)


def parse(body: bytes) -> object:
    try:
        text = body.decode()
        try:
            return decoder.decode(text)
        except RecursionError:
            return deep.decode(text, decoder)
    except ValueError as error:
        raise BadBody(f"the body is not JSON: {error}") from error


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no value")


decoder = json.JSONDecoder(parse_int=float, parse_constant=refuse)

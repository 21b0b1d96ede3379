"""Tier 0:tuned: what there was to gain without leaving Python.

orjson reads bodies as nearly all of them are, several times as fast as `json`. What it refuses may be right still (half a
surrogate pair, a number beyond every float, 1,025 levels), so that is for the ordinary way to say, and so is what is wrong.
"""

import orjson

import sum_items as ordinary

LARGEST = ordinary.LARGEST


def sum_items(body: bytes) -> int:
    """As `sum_items.sum_items`."""
    try:
        items = orjson.loads(body)["items"]
        if type(items) is not list:
            return ordinary.sum_items(body)
        total = 0
        for item in items:
            value = item["value"]
            # Floats, and what is wrong, are for the ordinary way: `1.0` is rare.
            if type(value) is not int or not -LARGEST <= value <= LARGEST:
                return ordinary.sum_items(body)
            total += value * 2
            if not -LARGEST <= total <= LARGEST:
                return ordinary.sum_items(body)
        return total
    except (ValueError, TypeError, KeyError):
        return ordinary.sum_items(body)


async def awaited(body: bytes) -> int:
    """The same for a server, in its event loop."""
    return sum_items(body)

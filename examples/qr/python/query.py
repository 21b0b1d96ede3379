"""Query strings, read strictly.

The parsers of the standard library and of Starlette take a broken percent-encoding for text, and bytes that are no UTF-8
for other characters. Here a parameter is text and nothing else.
"""

import re
from urllib.parse import unquote_to_bytes

BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})|[^!-~]")


class MalformedQuery(Exception):
    """The query string does not say which text it means."""


def values_of(query: bytes, name: str) -> "list[str]":
    """The values of all parameters with that name; `query` is what was sent behind the `?`."""
    if BROKEN.search(query):
        raise MalformedQuery
    values = []
    for parameter in query.split(b"&"):
        key, _, value = parameter.partition(b"=")
        text = decoded(value)
        if decoded(key) == name:
            values.append(text)
    return values


def decoded(encoded: bytes) -> str:
    try:
        return unquote_to_bytes(encoded.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        raise MalformedQuery from None

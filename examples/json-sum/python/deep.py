"""JSON that is nested deeper than `json` can go, which calls itself for each level. Here what is open lies in a list.

Ten times slower, and needed as good as never: a decoder is asked first.
"""

import json
import re

skip_space = re.compile(r"[ \t\n\r]*").match


def decode(text: str, decoder: json.JSONDecoder) -> object:
    """The document that is all of `text`; `decoder` reads its texts, numbers and words."""
    # The lists and objects that are not closed yet, each with the key that the next value is for.
    still_open = []
    at = after_space(text, 0)
    while True:
        # A value begins here.
        begin = text[at : at + 1]
        if begin in ("[", "{"):
            value = [] if begin == "[" else {}
            at = after_space(text, at + 1)
            if text[at : at + 1] != closing(value):
                key, at = next_key(value, text, at, decoder)
                still_open.append((value, key))
                continue
            at += 1
        else:
            value, at = decoder.raw_decode(text, at)
        # It ends here, and maybe what it is in.
        while still_open:
            outer, key = still_open[-1]
            put(outer, key, value)
            at = after_space(text, at)
            end = text[at : at + 1]
            if end == ",":
                key, at = next_key(outer, text, after_space(text, at + 1), decoder)
                still_open[-1] = outer, key
                break
            if end != closing(outer):
                raise json.JSONDecodeError(f"Expecting ',' or '{closing(outer)}'", text, at)
            value, _ = still_open.pop()
            at += 1
        else:
            at = after_space(text, at)
            if at < len(text):
                raise json.JSONDecodeError("Extra data", text, at)
            return value


def next_key(container: "list | dict", text: str, at: int, decoder: json.JSONDecoder) -> "tuple[str | None, int]":
    """The key of an object's next member, and where its value begins. Lists have none."""
    if type(container) is list:
        return None, at
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    key, at = decoder.raw_decode(text, at)
    at = after_space(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return key, after_space(text, at + 1)


def put(container: "list | dict", key: "str | None", value: object) -> None:
    if type(container) is list:
        container.append(value)
    else:
        container[key] = value


def closing(container: "list | dict") -> str:
    return "]" if type(container) is list else "}"


def after_space(text: str, at: int) -> int:
    return skip_space(text, at).end()

"""JSON, read strictly. What readers disagree about is refused before `json` sees it: depth, halves of surrogate pairs, and
numbers that become infinite."""

import json
import re

DEEPEST = 64


class MalformedBody(Exception):
    """The body is no JSON, or JSON that readers understand differently."""


def read_json(body: bytes) -> object:
    """All numbers are floats, as in JavaScript: `json` would take only so many digits for an int."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise MalformedBody("the body is not UTF-8") from None
    scan(text)
    try:
        return decoder.decode(text)
    except ValueError:
        raise MalformedBody("the body is not JSON") from None


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


decoder = json.JSONDecoder(parse_int=float, parse_constant=refuse)

# All of a body that can be wrong here. A text goes up to its end, or up to half of a surrogate pair.
TOKEN = re.compile(
    r"""
    (?P<text> " (?: [^"\\]+
                  | \\u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}
                  | (?! \\u[dD][89a-fA-F][0-9a-fA-F]{2} ) \\.
                )* (?P<rest> .? ) )
    | (?P<number> [-0-9][-+.0-9eE]* )
    | (?P<open> [\[{] )
    | (?P<close> [\]}] )
    """,
    re.VERBOSE | re.DOTALL,
)


def scan(text: str) -> None:
    depth = 0
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
            if depth > DEEPEST:
                raise MalformedBody(f"the body is nested more than {DEEPEST} deep")
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "number":
            refuse_infinite(token["number"])
        # A backslash at the very end is a text that does not end, which is for `json` to refuse.
        elif token["rest"] == "\\" and token.end() < len(text):
            raise MalformedBody("the body has half of a surrogate pair")


def refuse_infinite(number: str) -> None:
    # Only an exponent or 309 digits make one too large.
    if len(number) <= 300 and "e" not in number and "E" not in number:
        return
    try:
        is_infinite = abs(float(number)) == float("inf")
    except ValueError:
        # No number at all, which is for `json` to refuse.
        return
    if is_infinite:
        raise MalformedBody("the body has a number that is too large")

# Made by tierup; the same in every package.
"""Edge values of each type, as ladders: lists that climb from harmless to extreme.

Whoever climbs can stop where the function takes long, for a number may be a count, and 2^64 of anything is too much.
"""

import math

from interface import DEFINITIONS

INTEGERS = {
    **{f"{sign}{bits}": (-(2 ** (bits - 1)) if sign == "i" else 0, 2 ** (bits - (sign == "i")) - 1)
       for sign in "iu" for bits in (8, 16, 32, 64)},
    # A size in 32-bit Wasm.
    "isize": (-(2**31), 2**31 - 1),
    "usize": (0, 2**32 - 1),
}

FLOATS = [
    [0.0, 1.0, 1.5, 1e3, 1e6, 2.0**31, 2.0**53, 3.4028234663852886e38, math.inf],
    [-0.0, -1.0, -1.5, -1e3, -1e6, -(2.0**31), -math.inf],
    [math.nan, 5e-324, 1e-45],
]

TEXTS = [
    ["", "a", "text\twith\r\nwhite space ", "0", "-1.5e3", '{"json":[true]}', "../../etc/passwd", "'; --", "\0"],
    ["ä", "€", "😀", "e\u0301", "\ufeff", "\uffff", "\u2028", "\U0010ffff", "mixed ä€😀 text"],
    ["a" * length for length in (8, 64, 512, 4096, 32768, 262144)],
    ["😀" * length for length in (8, 64, 512, 4096, 32768)],
]

BYTES = [[b"", b"\0", b"\xff", bytes(range(256))], [b"tierup" * length for length in (85, 682, 5461, 43690)]]

PLAIN = {"bool": True, "f32": 1.5, "f64": 1.5, "text": "text", "bytes": b"bytes"}
LADDERS = {"bool": [[False, True]], "f32": FLOATS, "f64": FLOATS, "text": TEXTS, "bytes": BYTES}

KEYS = ["", "key", "ä", "\uffff", "😀", "__class__"]


class EdgeValues:
    """Values for the types of a package."""

    def __init__(self, package):
        self.package = package

    def plain(self, ty):
        """A value with nothing remarkable about it."""
        if isinstance(ty, str):
            return 1 if ty in INTEGERS else PLAIN[ty]
        kind, inner = ty
        if kind == "optional":
            return self.plain(inner)
        if kind == "list":
            return [self.plain(inner)]
        if kind == "map":
            return {"key": self.plain(inner)}
        definition = DEFINITIONS[inner]
        if isinstance(definition, str):
            return next(iter(getattr(self.package, definition)))
        name, fields = definition[0]
        return getattr(self.package, name)(*map(self.plain, fields))

    def ladders(self, ty):
        """Lists of values, each from harmless to extreme."""
        if isinstance(ty, str):
            return ladders_of_integers(*INTEGERS[ty]) if ty in INTEGERS else LADDERS[ty]
        kind, inner = ty
        if kind == "optional":
            return [[None], *self.ladders(inner)]
        if kind == "list":
            long = [[self.plain(inner)] * length for length in (0, 1, 8, 64, 512, 4096)]
            return [long, *([[self.plain(inner), value] for value in ladder] for ladder in self.ladders(inner))]
        if kind == "map":
            maps = [{}, *({key: self.plain(inner)} for key in KEYS), {key: self.plain(inner) for key in KEYS}]
            return [maps, *([{"key": value} for value in ladder] for ladder in self.ladders(inner))]
        definition = DEFINITIONS[inner]
        if isinstance(definition, str):
            return [list(getattr(self.package, definition))]
        ladders = []
        for name, fields in definition:
            made = getattr(self.package, name)
            ladders += [[made(*values) for values in ladder] for ladder in self.ladders_of_arguments(fields)]
        return ladders

    def ladders_of_arguments(self, types):
        """Lists of values for all of these types: one of them at its edges at a time, the others plain."""
        plain = [self.plain(ty) for ty in types]
        ladders = [[plain]]
        for place, ty in enumerate(types):
            for ladder in self.ladders(ty):
                ladders.append([[*plain[:place], value, *plain[place + 1 :]] for value in ladder])
        return ladders


def ladders_of_integers(least, most):
    """Powers of eight up to the largest, and down to the smallest."""
    up = [0, *(8**power for power in range(22) if 8**power < most), most]
    down = [-(8**power) for power in range(22) if -(8**power) > least]
    return [up, [*down, least]] if least < 0 else [up]

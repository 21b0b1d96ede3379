from __future__ import annotations

import datetime
import functools
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Optional, TypedDict

if TYPE_CHECKING:
    from elsewhere import Options

@dataclass
class Line:
    sku: str
    quantity: int
    tags: list[str]
    price: float = 0.5

class Place(NamedTuple):
    latitude: float
    longitude: float

class Coupon(TypedDict, total=False):
    code: str
    kind: Literal["percent", "fixed"]

class Way(str, Enum):
    SHIP = "ship"
    VAN = "van"

@functools.lru_cache(maxsize=0)
def label(text: str, ratio: int | float = 2, options: Options = None) -> dict[str, Optional[str]]:
    return {text: str(ratio)}

def price(lines: list[Line], coupon: Coupon | None, to: Place, way: Way, limit: int = None) -> Place:
    return Place(sum(line.quantity * line.price for line in lines), to.latitude)

class Node(NamedTuple):
    child: Optional[Node]

def refused(at: datetime.datetime, pair: tuple[int, int], any: Any, either: str | int | None, node: Node, all: set[str], keys: dict[int, str], own: Handler) -> None:
    pass

class Handler:
    def answer(self, text):
        for number in (1, 2**40):
            price([Line("a", number, [])], {"code": text}, Place(1, 2), Way.VAN)
        refused(datetime.datetime.now(), (1, 2), 1, None, Node(None), set(), {}, self)
        return str(label(text))

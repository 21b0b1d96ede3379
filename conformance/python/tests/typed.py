"""Code that a type checker must accept. `test_types.py` runs one."""

from typing import Optional

import conformance
from conformance import Binding, Color, Point, Shape, ShapeCircle, ShapeEmpty


def area(shape: Shape) -> float:
    if isinstance(shape, ShapeCircle):
        return shape.value
    if isinstance(shape, ShapeEmpty):
        return 0.0
    return 1.0


rust: Binding = conformance.bind(baseline="module:function", tier="3:native")
text: str = rust.echo_text("x")
content: bytes = rust.echo_bytes(bytearray(b"x"))
words: list[str] = rust.echo_texts(("a", "b"))
number: Optional[int] = rust.echo_option()
counts: dict[str, int] = conformance.echo_map({"a": 1})
point: Point = rust.echo_point(Point(1.0, 2.0))
color: Color = rust.echo_color(Color.DARK_BLUE)
total: float = area(rust.echo_shape(ShapeCircle(1.0)))
everything: bytes = rust.echo_everything(rust.echo_everything(None)).bytes  # type: ignore[arg-type]


async def later() -> str:
    with conformance.bind() as bound:
        return await bound.echo_text_async("x")

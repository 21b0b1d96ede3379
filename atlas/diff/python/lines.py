"""Lines as all libraries here have them."""

from io import StringIO


def lines(text: str) -> list[str]:
    """The lines, each with its `\\n`; `splitlines` would also end them at other characters."""
    return StringIO(text, newline="\n").readlines()

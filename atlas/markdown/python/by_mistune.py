"""Markdown by mistune, which is written in Python."""

import mistune

# Without plugins it reads Markdown without extensions; `escape` would escape the HTML of the document.
_common_mark = mistune.create_markdown(escape=False)


def render(markdown: str) -> str:
    return _common_mark(markdown)

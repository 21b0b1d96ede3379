"""Markdown by cmark, which is written in C: the native rival."""

import cmarkgfm
from cmarkgfm.cmark import Options

# Otherwise it replaces HTML and some links by a comment.
_OPTIONS = Options.CMARK_OPT_UNSAFE


def render(markdown: str) -> str:
    return cmarkgfm.markdown_to_html(markdown, _OPTIONS)

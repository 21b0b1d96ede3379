"""Reads HTML, writes what counts of it, so that two libraries can be compared.

One line for each tag and each text. These differences between libraries do not count:

- how a character is written: `&quot;`, `&#34;` or `"`; `%C3%A4` or `ä` in an address
- `<br>` or `<br />`, and the order of attributes
- white space between blocks, and at the ends of a text; in `<pre>`, only the last line end
- a NUL or U+FFFD: CommonMark has the first replaced by the second, which not every library does
- a byte order mark, and a paragraph of nothing else: cmark leaves it out at the beginning
"""

import re
import sys
from html.parser import HTMLParser
from urllib.parse import quote, unquote

sys.path.insert(0, "..")
import normalizer  # noqa: E402

INLINE = {"a", "code", "em", "strong", "img", "br"}
VOID = {"br", "hr", "img"}
ADDRESSES = {"href", "src"}


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.lines = []
        self.text = ""
        self.preformatted = 0

    def handle_starttag(self, tag, attributes):
        # White space before an inline element counts, before a block it does not.
        self.end_of_text(tag in INLINE)
        shown = sorted((name, self.address(name, value or "")) for name, value in attributes)
        self.lines.append(f"<{tag}" + "".join(f" {name}={value!r}" for name, value in shown) + ">")
        self.preformatted += tag == "pre"

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        self.end_of_text(tag in INLINE)
        self.lines.append(f"</{tag}>")
        self.preformatted -= tag == "pre"

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.end_of_text(False)
        self.lines.append(f"<!--{data}-->")

    def address(self, name, value):
        return quote(unquote(value), safe="/:?&=#%+,;@") if name in ADDRESSES else value

    def end_of_text(self, is_before_inline):
        text, self.text = self.text.replace("\0", "\ufffd"), ""
        if self.preformatted:
            text = text.removesuffix("\n")
        else:
            after = self.lines[-1].strip("</>").split(" ")[0] if self.lines else ""
            begin = " " if text[:1].isspace() and after in INLINE and after != "br" else ""
            end = " " if text[-1:].isspace() and is_before_inline and text.strip() else ""
            text = begin + " ".join(text.split()) + end
        if text.strip() or (text and self.preformatted):
            self.lines.append(repr(text))
        elif text and is_before_inline:
            self.lines.append("' '")


def meaning(body):
    reader = Reader()
    reader.feed(re.sub("<p>\ufeff</p>|\ufeff", "", body.decode()))
    reader.close()
    reader.end_of_text(False)
    return "\n".join(reader.lines).encode()


normalizer.serve(meaning)

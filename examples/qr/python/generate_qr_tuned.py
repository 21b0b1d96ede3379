"""Tier 0:tuned: what there was to gain without leaving Python.

The `qrcode` package still chooses the modules; the picture is written here, with one bit per pixel instead of 24, and
without drawing: a row of modules is a number, and rows that repeat say so.
"""

import struct
import zlib

import qrcode

PIXELS = 200
QUIET_ZONE = 4
ROW_BYTES = PIXELS // 8

# How a row of a PNG is filtered.
AS_IT_IS = b"\0"
SAME_AS_ABOVE = b"\2" + bytes(ROW_BYTES)

WHITE = AS_IT_IS + b"\xff" * ROW_BYTES


def generate_qr_code(text: str) -> bytes:
    """A PNG of 200 x 200 pixels."""
    if text == "":
        # `qrcode` would draw an empty code, which no reader makes sense of.
        raise ValueError("there is no text to encode")
    code = qrcode.QRCode(error_correction=qrcode.ERROR_CORRECT_L, border=0)
    code.add_data(text)
    code.make(fit=True)
    pixels = zlib.compress(draw(code.modules), 9)
    return SIGNATURE + HEADER + chunk(b"IDAT", pixels) + END


def draw(modules: "list[list[bool]]") -> bytes:
    """The rows of pixels, each with its filter. Each row of modules is drawn once; the rows below it are the same."""
    size = len(modules)
    scale = PIXELS // (size + 2 * QUIET_ZONE)
    margin = (PIXELS - size * scale) // 2
    below = PIXELS - margin - size * scale
    dark, light = "0" * scale, "1" * scale
    left, right = "1" * margin, "1" * below
    rows = [WHITE, SAME_AS_ABOVE * (margin - 1)]
    for row in modules:
        bits = left + "".join([dark if module else light for module in row]) + right
        rows.append(AS_IT_IS + int(bits, 2).to_bytes(ROW_BYTES, "big") + SAME_AS_ABOVE * (scale - 1))
    rows.append(WHITE + SAME_AS_ABOVE * (below - 1))
    return b"".join(rows)


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", PIXELS, PIXELS, 1, 0, 0, 0, 0))
END = chunk(b"IEND", b"")

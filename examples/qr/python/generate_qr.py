"""Tier 0: how the server made its QR codes before there was any Rust."""

import io

import qrcode
from PIL import Image

PIXELS = 200
QUIET_ZONE = 4


def generate_qr_code(text: str) -> bytes:
    """A PNG of 200 x 200 pixels."""
    if text == "":
        # `qrcode` would draw an empty code, which no reader makes sense of.
        raise ValueError("there is no text to encode")
    code = qrcode.QRCode(error_correction=qrcode.ERROR_CORRECT_L, border=0)
    code.add_data(text)
    code.make(fit=True)
    # As large as whole pixels per module allow, in the middle of a white square.
    code.box_size = PIXELS // (code.modules_count + 2 * QUIET_ZONE)
    symbol = code.make_image().get_image()
    picture = Image.new("RGB", (PIXELS, PIXELS), "white")
    picture.paste(symbol, ((PIXELS - symbol.width) // 2, (PIXELS - symbol.height) // 2))
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()

# frozen_string_literal: true

require "rqrcode"

# Tier 0: how the server made its QR codes before there was any Rust.
module GenerateQr
  PIXELS = 200

  module_function

  # A PNG of 200 x 200 pixels.
  def generate_qr_code(text)
    # `rqrcode` would draw an empty code, which no reader makes sense of.
    raise ArgumentError, "there is no text to encode" if text.empty?

    RQRCode::QRCode.new(text, level: :l).as_png(size: PIXELS).to_blob
  end
end

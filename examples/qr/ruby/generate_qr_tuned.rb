# frozen_string_literal: true

require "rqrcode_core"
require "zlib"

# Tier 0:tuned: what there was to gain without leaving Ruby.
#
# `rqrcode_core` still chooses the modules; the picture is written here, with one bit per pixel and without drawing: a row of modules
# is a text of ones and zeros, and rows that repeat say so.
module GenerateQrTuned
  PIXELS = 200
  QUIET_ZONE = 4

  # How a row of a PNG is filtered.
  AS_IT_IS = "\0".b.freeze
  SAME_AS_ABOVE = ("\2".b + "\0".b * (PIXELS / 8)).freeze

  WHITE = (AS_IT_IS + "\xFF".b * (PIXELS / 8)).freeze

  module_function

  # A PNG of 200 x 200 pixels.
  def generate_qr_code(text)
    # `rqrcode_core` would draw an empty code, which no reader makes sense of.
    raise ArgumentError, "there is no text to encode" if text.empty?

    modules = RQRCodeCore::QRCode.new(text, level: :l).modules
    SIGNATURE + HEADER + chunk("IDAT", Zlib::Deflate.deflate(draw(modules), Zlib::BEST_COMPRESSION)) + END_OF_FILE
  end

  # The rows of pixels, each with its filter. Each row of modules is drawn once; the rows below it are the same.
  def draw(modules)
    size = modules.size
    scale = PIXELS / (size + 2 * QUIET_ZONE)
    margin = (PIXELS - size * scale) / 2
    below = PIXELS - margin - size * scale
    dark, light = "0" * scale, "1" * scale
    left, right = "1" * margin, "1" * below
    rows = WHITE + SAME_AS_ABOVE * (margin - 1)
    modules.each do |row|
      bits = left + row.map { |is_dark| is_dark ? dark : light }.join + right
      rows << AS_IT_IS << [bits].pack("B*") << SAME_AS_ABOVE * (scale - 1)
    end
    rows << WHITE << SAME_AS_ABOVE * (below - 1)
  end

  def chunk(name, content)
    [content.bytesize].pack("N") + name + content + [Zlib.crc32(name + content)].pack("N")
  end

  SIGNATURE = "\x89PNG\r\n\x1A\n".b.freeze
  HEADER = chunk("IHDR", [PIXELS, PIXELS, 1, 0, 0, 0, 0].pack("NNC5")).freeze
  END_OF_FILE = chunk("IEND", "").freeze
end

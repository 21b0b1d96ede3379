# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Reads bytes of the byte encoding from the front.

module {{module}}::Tierup::Wire
  # The bytes are not a valid encoding.
  class Malformed < StandardError; end

  # Reads bytes from the front.
  class Reader
    def initialize(data)
      @data = data
      @size = data.bytesize
      @at = 0
    end

    # Returns the position of the next bytes, and skips them.
    def take(length)
      at = @at
      raise Malformed, "it ends too early" if length > @size - at

      @at = at + length
      at
    end

    def byte = @data.getbyte(take(1))
    def count = @data.unpack1("V", offset: take(4))
    def number(code, size) = @data.unpack1(code, offset: take(size))
    def numbers(code, size, count) = @data.unpack("#{code}#{count}", offset: take(size * count))
    def bytes(length) = @data.byteslice(take(length), length)

    # The number of values that follow. Each takes at least a byte, except values without content.
    def values(least)
      count = self.count
      raise Malformed, "it ends too early" if count * least > @size - @at

      count
    end

    def finish
      raise Malformed, "bytes are left over" unless @at == @size
    end
  end
end

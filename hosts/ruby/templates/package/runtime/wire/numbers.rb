# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Numbers of the byte encoding.

module {{module}}::Tierup::Wire
  # A number type with its name in `Array#pack`. `checked` is the value to encode.
  class Number
    attr_reader :least_bytes

    def initialize(code, size)
      @code = code
      @least_bytes = size
    end

    def write(to, value)
      [checked(value)].pack(@code, buffer: to)
    end

    def read(source) = source.number(@code, @least_bytes)

    # A whole list, in one step.
    def write_all(to, values)
      Wire.each_item(values) { |value| checked(value) }.pack("#{@code}*", buffer: to)
    end

    def read_all(source, count) = source.numbers(@code, @least_bytes, count)
  end

  class Whole < Number
    def initialize(code, size, is_signed)
      super(code, size)
      bits = 8 * size
      @least, @most = is_signed ? [-(1 << (bits - 1)), (1 << (bits - 1)) - 1] : [0, (1 << bits) - 1]
    end

    private

    def checked(value)
      return value if Integer === value && value >= @least && value <= @most

      what = "a whole number from #{@least} to #{@most}"
      raise Integer === value ? Checks.outside(what, value) : Checks.expected(what, value)
    end
  end

  class Real < Number
    private

    def checked(value)
      float =
        case value
        when Float then value
        when Integer, Rational then value.to_f
        else raise Checks.expected("a number", value)
        end
      # A finite number must not become an infinite one.
      is_lost = float.infinite? && !(Float === value)
      is_lost ||= @least_bytes == 4 && float.finite? && [float].pack(@code).unpack1(@code).infinite?
      raise Checks.outside("a number of #{8 * @least_bytes} bits", value) if is_lost

      float
    end
  end

  I8 = Whole.new("c", 1, true)
  U8 = Whole.new("C", 1, false)
  I16 = Whole.new("s<", 2, true)
  U16 = Whole.new("S<", 2, false)
  I32 = Whole.new("l<", 4, true)
  U32 = Whole.new("L<", 4, false)
  I64 = Whole.new("q<", 8, true)
  U64 = Whole.new("Q<", 8, false)
  F32 = Real.new("e", 4)
  F64 = Real.new("E", 8)
end

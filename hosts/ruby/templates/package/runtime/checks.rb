# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Checks of values before they are encoded.
#
# A check raises a `Mismatch`. Each level that it passes adds its place in the arguments. The last one makes it the
# caller's TypeError, RangeError or ArgumentError: `items[3].value: expected a number`.

# A value that does not fit the signature.
class {{module}}::Tierup::Mismatch < StandardError
  def initialize(kind, message)
    super(message)
    @kind = kind
    @path = ""
  end

  # Adds a place. Inner places are added first.
  def within(place)
    @path = place + @path
    self
  end

  # The error for the caller, with the place of the value.
  def refusal(place)
    @kind.new("#{place}#{@path}: #{message}")
  end
end

module {{module}}::Tierup::Checks
  # The limit for a call's arguments, in bytes. No variant could pass on more.
  LARGEST = 0x7FFFFFFF

  module_function

  # A `Mismatch` for a value of the wrong type.
  def expected(what, value)
    {{module}}::Tierup::Mismatch.new(TypeError, "expected #{what}, got #{described(value)}")
  end

  # A `Mismatch` for a number that does not fit.
  def outside(what, value)
    {{module}}::Tierup::Mismatch.new(RangeError, "expected #{what}, got #{described(value)}")
  end

  def too_large
    {{module}}::Tierup::Mismatch.new(RangeError, "more than 2 GiB of arguments cannot cross")
  end

  def described(value)
    case value
    when Integer
      value.bit_length > 200 ? "a number beyond it" : value.to_s
    when nil, true, false, Float, Symbol
      value.inspect
    when String
      value.length <= 40 ? value.inspect : "a String of #{value.bytesize} bytes"
    else
      "an object of class #{Kernel.instance_method(:class).bind_call(value)}"
    end
  rescue StandardError
    "a value that cannot be shown"
  end

  # A String in UTF-8 with the value's characters. This is the value itself if it is UTF-8.
  def utf8(value)
    text = String.try_convert(value) || raise(expected("a String", value))
    encoding = text.encoding
    if encoding == Encoding::UTF_8 || encoding == Encoding::US_ASCII
      return text if text.valid_encoding?

      raise {{module}}::Tierup::Mismatch.new(ArgumentError, "expected text, got a String that is not valid #{encoding}")
    end
    begin
      text.encode(Encoding::UTF_8)
    rescue EncodingError => error
      raise {{module}}::Tierup::Mismatch.new(ArgumentError, "expected text in UTF-8, got #{encoding}: #{error.message}"), cause: nil
    end
  end

  # A String. Its bytes count, whatever its encoding.
  def bytes(value)
    String.try_convert(value) || raise(expected("a String of bytes", value))
  end
end

# The extension calls this for an argument that is not a String, or is not valid UTF-8.
module {{module}}::Tierup::Lending
  module_function

  # Text in UTF-8. Otherwise raises an error that names the parameter.
  def text(value, parameter)
    {{module}}::Tierup::Checks.utf8(value)
  rescue {{module}}::Tierup::Mismatch => mismatch
    raise mismatch.refusal(parameter), cause: nil
  end

  # Bytes. Otherwise raises an error that names the parameter.
  def bytes(value, parameter)
    {{module}}::Tierup::Checks.bytes(value)
  rescue {{module}}::Tierup::Mismatch => mismatch
    raise mismatch.refusal(parameter), cause: nil
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Bools, text and bytes of the byte encoding.

module {{module}}::Tierup::Wire
  module BOOL
    module_function

    def least_bytes = 1

    def write(to, value)
      raise Checks.expected("true or false", value) unless true.equal?(value) || false.equal?(value)

      to << (value ? "\1" : "\0")
    end

    def read(source)
      case source.byte
      when 0 then false
      when 1 then true
      else raise Malformed, "a bool is neither 0 nor 1"
      end
    end
  end

  module TEXT
    module_function

    def least_bytes = 4

    def write(to, value)
      text = Checks.utf8(value)
      Wire.count(to, text.bytesize)
      to << text.b
    end

    def read(source)
      text = source.bytes(source.count).force_encoding(Encoding::UTF_8)
      raise Malformed, "its text is not UTF-8" unless text.valid_encoding?

      text
    end
  end

  module BYTES
    module_function

    def least_bytes = 4

    def write(to, value)
      bytes = Checks.bytes(value)
      Wire.count(to, bytes.bytesize)
      to << bytes.b
    end

    def read(source) = source.bytes(source.count)
  end
end

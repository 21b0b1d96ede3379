# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The byte encoding: Borsh's layout (https://borsh.io), except that a float is its raw IEEE-754 bits, NaN included.
#
# Numbers are little-endian. Text, bytes, lists and maps start with a 32-bit count, an optional value with a byte 0 or 1. There is
# an object for each type; `write` appends a value to a binary String after checking it, and `read` takes one from a `Reader`.

require_relative "checks"

module MODULE::Tierup::Wire
  Wire = MODULE::Tierup::Wire
  Checks = MODULE::Tierup::Checks
  Mismatch = MODULE::Tierup::Mismatch

  # Bytes that are not what the encoding says.
  class Malformed < StandardError; end

  # Reads bytes from the front.
  class Reader
    def initialize(data)
      @data = data
      @size = data.bytesize
      @at = 0
    end

    # Where the next bytes are, which are then behind.
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

    # How many values follow; each needs at least a byte, except values without any content.
    def values(least)
      count = self.count
      raise Malformed, "it ends too early" if count * least > @size - @at

      count
    end

    def finish
      raise Malformed, "bytes are left over" unless @at == @size
    end
  end

  module_function

  # Appends how many of something follow.
  def count(to, number)
    raise Checks.too_large if number > Checks::LARGEST || to.bytesize > Checks::LARGEST

    [number].pack("V", buffer: to)
  end

  class Whole
    attr_reader :least_bytes

    def initialize(code, size, is_signed)
      @code = code
      @least_bytes = size
      bits = 8 * size
      @least, @most = is_signed ? [-(1 << (bits - 1)), (1 << (bits - 1)) - 1] : [0, (1 << bits) - 1]
    end

    def write(to, value)
      check(value)
      [value].pack(@code, buffer: to)
    end

    def read(source) = source.number(@code, @least_bytes)

    # A whole list, in one step.
    def write_all(to, values)
      values.each_with_index do |value, at|
        check(value)
      rescue Mismatch => mismatch
        raise mismatch.within("[#{at}]")
      end
      values.pack("#{@code}*", buffer: to)
    end

    def read_all(source, count) = source.numbers(@code, @least_bytes, count)

    private

    def check(value)
      return if Integer === value && value >= @least && value <= @most

      what = "a whole number from #{@least} to #{@most}"
      raise Integer === value ? Checks.outside(what, value) : Checks.expected(what, value)
    end
  end

  class Real
    attr_reader :least_bytes

    def initialize(code, size)
      @code = code
      @least_bytes = size
    end

    def write(to, value)
      [checked(value)].pack(@code, buffer: to)
    end

    def read(source) = source.number(@code, @least_bytes)

    def write_all(to, values)
      values = values.each_with_index.map do |value, at|
        checked(value)
      rescue Mismatch => mismatch
        raise mismatch.within("[#{at}]")
      end
      values.pack("#{@code}*", buffer: to)
    end

    def read_all(source, count) = source.numbers(@code, @least_bytes, count)

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

  class Optional
    def initialize(inner) = @inner = inner
    def least_bytes = 1

    def write(to, value)
      return to << "\0" if value.nil?

      to << "\1"
      @inner.write(to, value)
    end

    def read(source) = BOOL.read(source) ? @inner.read(source) : nil
  end

  class List
    def initialize(inner)
      @inner = inner
      @is_packed = inner.respond_to?(:write_all)
    end

    def least_bytes = 4

    def write(to, value)
      items = Array.try_convert(value) || raise(Checks.expected("an Array", value))
      # A copy, so that nobody adds to it meanwhile.
      items = items.dup
      Wire.count(to, items.size)
      return @inner.write_all(to, items) if @is_packed

      items.each_with_index do |item, at|
        @inner.write(to, item)
      rescue Mismatch => mismatch
        raise mismatch.within("[#{at}]")
      end
    end

    def read(source)
      count = source.values(@inner.least_bytes)
      @is_packed ? @inner.read_all(source, count) : Array.new(count) { @inner.read(source) }
    end
  end

  class Map
    def initialize(inner) = @inner = inner
    def least_bytes = 4

    def write(to, value)
      hash = Hash.try_convert(value) || raise(Checks.expected("a Hash", value))
      entries = hash.map { |key, item| [text(key), item] }
      # Ruby compares Strings of one encoding by their bytes, as the encoding requires.
      entries.sort_by!(&:first)
      Wire.count(to, entries.size)
      before = nil
      entries.each do |key, item|
        raise Checks.expected("different keys", key) if key == before

        before = key
        TEXT.write(to, key)
        @inner.write(to, item)
      rescue Mismatch => mismatch
        raise mismatch.within("[#{key.inspect}]")
      end
    end

    def read(source)
      value = {}
      before = nil
      source.values(4 + @inner.least_bytes).times do
        key = TEXT.read(source)
        # Keys ascend, so comparing each with the one before finds duplicates.
        raise Malformed, "a map's keys are not sorted or not unique" if before && before >= key

        value[key] = @inner.read(source)
        before = key
      end
      value
    end

    private

    def text(key)
      String === key || raise(Checks.expected("text as every key", key))
      Checks.utf8(key).dup.force_encoding(Encoding::UTF_8)
    end
  end

  # A record, or a case of an enum. Made empty and filled later, as types may contain each other.
  class Fields
    def of(type, fields)
      @type = type
      @fields = fields.to_a
      self
    end

    # Not added up, because a type may contain itself.
    def least_bytes = 0

    def write(to, value)
      check(value)
      write_fields(to, value)
    end

    def write_fields(to, value)
      @fields.each do |name, inner|
        inner.write(to, value.public_send(name))
      rescue Mismatch => mismatch
        raise mismatch.within(".#{name}")
      end
    end

    def read(source)
      values = {}
      @fields.each { |name, inner| values[name] = inner.read(source) }
      @type.new(**values)
    end

    private

    # Any object with these fields is accepted: a server may have its own class for it.
    def check(value)
      return if @type === value

      has_all = !@fields.empty? && !(Module === value) && @fields.all? { |name, _| value.respond_to?(name) }
      raise Checks.expected("a #{@type}", value) unless has_all
    end
  end

  # An enum in which no case carries anything: symbols.
  class Words
    def of(type, words)
      @type = type
      @words = words
      @numbers = words.each_with_index.to_h
      self
    end

    def least_bytes = 1

    def write(to, value)
      number = @numbers[value] if Symbol === value
      raise Checks.expected("one of #{@words.map(&:inspect).join(", ")}", value) unless number

      [number].pack("C", buffer: to)
    end

    def read(source)
      number = source.byte
      @words[number] || raise(Malformed, "#{number} is no case of #{@type}")
    end
  end

  # An enum in which a case carries something: an object of a class for each case.
  class Cases
    def of(type, classes)
      @type = type
      @cases = classes.map { |one, fields| Fields.new.of(one, fields) }
      @numbers = classes.each_with_index.to_h { |(one, _), number| [one, number] }
      self
    end

    def least_bytes = 1

    def write(to, value)
      number = @numbers[value.class] || @numbers.find { |one, _| one === value }&.last
      raise Checks.expected("a case of #{@type}", value) unless number

      [number].pack("C", buffer: to)
      @cases[number].write_fields(to, value)
    end

    def read(source)
      number = source.byte
      one = @cases[number] || raise(Malformed, "#{number} is no case of #{@type}")
      one.read(source)
    end
  end

  # What the package knows about one function.
  class Function
    attr_reader :name, :parameters, :output, :is_direct, :is_raw

    def initialize(name, parameters, output:, is_direct:, is_raw:)
      @name = name
      @parameters = parameters
      @names = parameters.map(&:first)
      @types = parameters.map(&:last)
      @output = output
      # It takes and returns nothing but text and bytes.
      @is_direct = is_direct
      # `[health]` hashes the answer itself rather than its encoding.
      @is_raw = is_raw
    end

    # The arguments' bytes, behind `to`; TypeError, RangeError or ArgumentError if they do not fit the signature.
    def encoded(arguments, to = String.new(encoding: Encoding::BINARY))
      @types.each_with_index do |type, place|
        type.write(to, arguments[place])
      rescue Mismatch => mismatch
        raise mismatch.refusal(@names[place]), cause: nil
      end
      to
    end

    # The arguments that bytes encode.
    def arguments(bytes)
      source = Reader.new(bytes)
      arguments = @types.map { |type| type.read(source) }
      source.finish
      arguments
    end

    # An answer's bytes; a `Mismatch` if it does not fit the signature.
    def encoded_output(value)
      to = String.new(encoding: Encoding::BINARY)
      @output&.write(to, value)
      to
    end

    def read_output(source) = @output&.read(source)
  end
end

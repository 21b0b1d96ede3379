# frozen_string_literal: true

# Types of values, for the witness. In: a value. Out: its type, without its content. This runs no code of the value's
# class.

module TierupWitness
  class Shapes
    MOST_ELEMENTS = 1000
    DEEPEST = 8
    CLASS = Kernel.instance_method(:class)
    NAME = Module.instance_method(:name)
    MEMBERS = Struct.instance_method(:members)
    VALUES = Struct.instance_method(:to_a)
    # Ruby has it from 3.2 on.
    DATA = defined?(Data) && Data.respond_to?(:define) ? Data : nil
    DATA_VALUES = DATA&.instance_method(:to_h)

    def initialize
      @sources = {}
    end

    # Adds a value's type, unless it is there, and the time.
    def add(known, times, value, at)
      found = shape(value, 0)
      add_shape(known, found)
      place = known.index(found)
      (times[place] ||= []) << at unless place.nil?
    end

    private

    def add_shape(known, shape)
      known << shape unless known.include?(shape) || known.size >= MOST_ELEMENTS
    end

    def shape(value, depth)
      case value
      when nil then return { is: "absent" }
      when true, false then return { is: "bool" }
      when Integer then return whole(value)
      when Symbol then return refused("a Symbol: pass its name, as text")
      end
      kind = CLASS.bind_call(value)
      return text(value) if kind.equal?(String)
      return { is: "float" } if kind.equal?(Float)
      return refused("a value nested deeper than #{DEEPEST} levels") if depth >= DEEPEST
      return { is: "list", of: all(value.first(MOST_ELEMENTS), depth) } if kind.equal?(Array)
      return map(value, depth) if kind.equal?(Hash)

      record(kind, value, depth) || refused("an object of the class #{class_name(kind) || "without a name"}")
    end

    # Bytes are Strings in ASCII-8BIT, as in the package.
    def text(value)
      return { is: "bytes" } if value.encoding == Encoding::BINARY
      return { is: "text" } if [Encoding::UTF_8, Encoding::US_ASCII].include?(value.encoding) && value.valid_encoding?

      refused("text that is not valid UTF-8")
    end

    def whole(value)
      return { is: "whole", signed: value.negative?, large: value >= 2**31 } if (-(2**31)...(2**32)).cover?(value)
      return { is: "wide", signed: value < 2**63 } if (-(2**63)...(2**64)).cover?(value)

      refused("a whole number of more than 64 bits")
    end

    def map(value, depth)
      return { is: "map", of: all(value.first(MOST_ELEMENTS).map(&:last), depth) } if value.each_key.all?(String)
      return refused("a Hash with Symbols as keys: make it a Struct") if value.each_key.all?(Symbol)

      refused("a Hash whose keys are not text")
    end

    # A Struct or a Data. Field names that are not in the source are data, and must not leave the process.
    def record(kind, value, depth)
      return unless Struct === value || (DATA && DATA === value)

      names, values = Struct === value ? [MEMBERS, VALUES].map { |of| of.bind_call(value) } : DATA_VALUES.bind_call(value).to_a.transpose
      source = source_of(class_name(kind))
      return unless names&.all? { |name| name.match?(/\A[A-Za-z_]\w*\z/) && source.match?(/\b#{name}\b/) }

      { is: "record", fields: names.zip(values.map { |field| shape(field, depth + 1) }) }
    end

    def all(values, depth)
      values.each_with_object([]) { |value, known| add_shape(known, shape(value, depth + 1)) }
    end

    def refused(why) = { is: "refused", why: why }

    def class_name(kind)
      name = NAME.bind_call(kind)
      name if name&.match?(/\A[A-Z][\w:]{0,60}\z/)
    end

    # The text of the file that defines a class.
    def source_of(name)
      file, = name && Object.const_source_location(name)
      return "" if file.nil?

      @sources[file] ||= File.read(file, encoding: "UTF-8").scrub
    rescue SystemCallError
      ""
    end
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The crate's own types in the byte encoding.

module {{module}}::Tierup::Wire
  # A record, or a case of an enum. It is made empty and filled later, as types may contain each other.
  class Fields
    def of(type, fields)
      @type = type
      @fields = fields.to_a
      self
    end

    # Fields are not added up, because a type may contain itself.
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

  # An enum without fields in any case. Its values are symbols.
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

  # An enum with fields in some case. Each case has a class.
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
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# One function of the crate: its arguments and answers in the byte encoding.

module {{module}}::Tierup::Wire
  # Facts about one function.
  class Function
    attr_reader :name, :parameters, :output, :is_direct, :is_raw

    def initialize(name, parameters, output:, is_direct:, is_raw:)
      @name = name
      @parameters = parameters
      @names = parameters.map(&:first)
      @types = parameters.map(&:last)
      @output = output
      # Whether its arguments and answer are only text and bytes.
      @is_direct = is_direct
      # Whether `[health]` hashes the answer itself and not its encoding.
      @is_raw = is_raw
    end

    # The arguments' bytes, after `to`. Raises TypeError, RangeError or ArgumentError if they do not fit the signature.
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

    # An answer's bytes. Raises a `Mismatch` if it does not fit the signature.
    def encoded_output(value)
      to = String.new(encoding: Encoding::BINARY)
      @output&.write(to, value)
      to
    end

    def read_output(source) = @output&.read(source)
  end
end

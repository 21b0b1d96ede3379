# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# An answer: one byte that says how the call ended, then the value or a message.

require_relative "errors"
require_relative "wire"

module {{module}}::Tierup::Answers
  OK = 0
  ERROR = 1
  PANIC = 2
  REFUSED = 3
  LATE = 4

  module_function

  # Returns the value in an answer, or raises its error.
  def read(function, data)
    source = {{module}}::Tierup::Wire::Reader.new(data)
    tag = source.byte
    value = tag == OK ? function.read_output(source) : {{module}}::Tierup::Wire::TEXT.read(source)
    source.finish
    return value if tag == OK

    raise failure(tag).new(tag == REFUSED ? "#{function.name}: #{value}" : value)
  rescue {{module}}::Tierup::Wire::Malformed => error
    raise {{module}}::TransportError, "cannot read the answer of #{function.name}: #{error.message}", cause: nil
  end

  # The class of the error for a tag.
  def failure(tag)
    case tag
    when ERROR then {{module}}::CallError
    when PANIC then {{module}}::PanicError
    # Only one value passes the checks here and is refused in Rust: a size that 32-bit Wasm cannot hold.
    when REFUSED then RangeError
    when LATE then {{module}}::CallTimeoutError
    else raise {{module}}::Tierup::Wire::Malformed, "#{tag} is not the first byte of an answer"
    end
  end
end

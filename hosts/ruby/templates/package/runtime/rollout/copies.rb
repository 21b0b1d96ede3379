# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Encoded copies of arguments and answers, for the process that compares them.

require_relative "../answers"
require_relative "../checks"
require_relative "../record"

module {{module}}::Tierup::Copies
  Answers = {{module}}::Tierup::Answers
  # The most bytes that the arguments may have, and that an answer may have.
  LARGEST = 64 << 10

  # A value needs more than `LARGEST` bytes.
  class TooLarge < StandardError; end

  module_function

  def arguments(function, arguments) = bounded(arguments) { function.encoded(arguments) }

  def answer(function, value)
    bounded(value) { [Answers::OK].pack("C") << function.encoded_output(value) }
  rescue {{module}}::Tierup::Mismatch => mismatch
    # No tier in Rust can return this value.
    message(Answers::REFUSED, mismatch)
  end

  # How a call failed; nil if that says nothing about the function. Any exception of a baseline is its error.
  def error(error, is_baseline)
    case error
    when {{module}}::CallError then message(Answers::ERROR, error)
    when {{module}}::PanicError then message(Answers::PANIC, error)
    when {{module}}::Error then nil
    when StandardError then own(error, is_baseline) unless late?(error)
    end
  end

  # Whether `timeout` raised it from another thread: the message is the same for every class.
  def late?(error) = (defined?(::Timeout::Error) && ::Timeout::Error === error) || words_of(error) == "execution expired"

  # The text of an error. A class of the server's may raise instead.
  def words_of(error)
    error.message.to_s.dup.force_encoding(Encoding::UTF_8).scrub
  rescue StandardError
    Kernel.instance_method(:class).bind_call(error).to_s
  end

  def own(error, is_baseline)
    return message(Answers::ERROR, error) if is_baseline

    message(Answers::REFUSED, error) if [TypeError, RangeError, ArgumentError].any? { |refusal| refusal === error }
  end

  def message(tag, error)
    words = words_of(error)[0, 1000]
    [tag, words.bytesize].pack("CV") << words.b
  end

  # The bytes that the block encodes. Encoding copies parts before their length is known, so this checks first.
  def bounded(value)
    left(LARGEST, value)
    content = yield
    content.bytesize > LARGEST ? raise(TooLarge) : content
  end

  # How many bytes remain after a value, which takes at least one byte for each item.
  def left(most, value)
    case value
    when String then most -= value.bytesize
    when Array then most = value.reduce(most - value.size) { |rest, item| left(rest, item) }
    when Hash then most = value.reduce(most - value.size) { |rest, pair| left(rest, pair) }
    when {{module}}::Tierup::Record then most = left(most, value.to_h)
    end
    most.negative? ? raise(TooLarge) : most
  end
end

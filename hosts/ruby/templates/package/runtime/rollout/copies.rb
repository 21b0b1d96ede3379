# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Copies of arguments and answers, encoded, for the process that compares them.

require_relative "../answers"
require_relative "../checks"
require_relative "../record"

module {{module}}::Tierup::Copies
  Answers = {{module}}::Tierup::Answers
  # The most bytes of arguments, and of an answer.
  LARGEST = 64 << 10

  # More than `LARGEST`.
  class TooLarge < StandardError; end

  module_function

  def arguments(function, arguments) = bounded(arguments) { function.encoded(arguments) }

  def answer(function, value)
    bounded(value) { [Answers::OK].pack("C") << function.encoded_output(value) }
  rescue {{module}}::Tierup::Mismatch => mismatch
    # No tier in Rust can answer this.
    message(Answers::REFUSED, mismatch)
  end

  # How a call failed; nil if that says nothing of the function. Whatever a baseline raises is its error.
  def error(error, is_baseline)
    case error
    when {{module}}::CallError then message(Answers::ERROR, error)
    when {{module}}::PanicError then message(Answers::PANIC, error)
    when {{module}}::Error then nil
    when StandardError then own(error, is_baseline) unless late?(error)
    end
  end

  # Whether another thread has raised it: `timeout` has these words, whatever the class.
  def late?(error) = (defined?(::Timeout::Error) && ::Timeout::Error === error) || words_of(error) == "execution expired"

  # What a server's own class has to say may be an error, too.
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

  # What the block encodes. Its parts are copied before their length is known there, so that is asked first.
  def bounded(value)
    left(LARGEST, value)
    content = yield
    content.bytesize > LARGEST ? raise(TooLarge) : content
  end

  # How much of so many bytes a value leaves, which takes at least so many as it has items.
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

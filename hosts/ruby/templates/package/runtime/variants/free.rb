# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `0:free`: the ceiling. It calls the baseline once for each distinct list of arguments, then replays the recorded
# answer or error. The server thus does all its work except the function's.

require_relative "encoded"
require_relative "../lock"
require_relative "../recording"

class {{module}}::Tierup::Free < {{module}}::Tierup::Encoded
  # The limit for all records together, in bytes. Beyond it, the oldest are dropped.
  MOST_BYTES = 64 << 20
  # The approximate size of a record without its key and value.
  RECORD_BYTES = 300

  Outcome = Struct.new(:value, :error, :bytes)

  def initialize(functions)
    @functions = functions
    @records = {}
    @bytes = 0
    @lock = {{module}}::Tierup::Lock.new
    @recording = {{module}}::Tierup::Recording.opened
    @recording&.read { |number, key, value| keep([number, key], Outcome.new(value)) }
  end

  def call(number, arguments)
    key = key_of(number, arguments)
    # Arguments that Rust would refuse always go to the baseline.
    return @functions[number].call(*arguments) if key.nil?

    outcome = @lock.synchronize { @records[key] }
    if outcome.nil?
      outcome = outcome_of(number, arguments)
      keep(key, outcome)
      # An error is kept only in this process: another one may lack the values that it refers to.
      @recording&.add(*key, outcome.value) unless outcome.error
    end
    raise outcome.error.exception if outcome.error

    again(outcome.value)
  end

  private

  def outcome_of(number, arguments)
    Outcome.new(@functions[number].call(*arguments))
  rescue StandardError => error
    # A copy without the backtrace, which would keep the arguments alive.
    Outcome.new(nil, error.exception(error.message))
  end

  def key_of(number, arguments)
    [number, {{module}}::Tierup::FUNCTIONS[number].encoded(arguments).freeze]
  rescue StandardError
    nil
  end

  # A copy, which the caller may change.
  def again(value)
    case value
    when String then value.dup
    when Array then value.map { |item| again(item) }
    when Hash then value.transform_values { |item| again(item) }
    else value
    end
  end

  def keep(key, outcome)
    outcome.bytes = RECORD_BYTES + key.last.bytesize + size_of(outcome.value)
    @lock.synchronize do
      before = @records.delete(key)
      @bytes += outcome.bytes - (before ? before.bytes : 0)
      @records[key] = outcome
      @bytes -= @records.shift.last.bytes while @bytes > MOST_BYTES
    end
  end

  # The approximate size of a value in bytes.
  def size_of(value)
    case value
    when String then value.bytesize
    when Array then 16 + value.sum { |item| 16 + size_of(item) }
    when Hash then 16 + value.sum { |name, item| 32 + size_of(name) + size_of(item) }
    when {{module}}::Tierup::Record then 16 + size_of(value.to_h)
    else 16
    end
  end
end

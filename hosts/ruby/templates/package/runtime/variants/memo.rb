# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `0:memo`: the server's own functions behind a bounded cache of their answers, by encoded arguments. It is correct for
# a function whose answer depends only on its arguments.
#
# Each caller gets a copy, so changing it affects no other caller. An error is not kept: the next call may succeed.
# Concurrent calls do not wait for each other.

require_relative "encoded"
require_relative "../counts"
require_relative "../forks"
require_relative "../kept"

class {{module}}::Tierup::Memo < {{module}}::Tierup::Encoded
  # Any other value, in Marshal's form.
  Dumped = Struct.new(:content)

  # Answers that cannot change.
  UNCHANGING = [Integer, Float, Symbol, NilClass, TrueClass, FalseClass].freeze

  def initialize(functions)
    super()
    @functions = functions
    @kept = {{module}}::Tierup::Kept.new
    @counts = {{module}}::Tierup::Counts.new(@kept)
    {{module}}::Tierup::Forks.renew(self)
  end

  def call(number, arguments)
    key = key_of(number, arguments)
    # Arguments that Rust would refuse always go to the baseline.
    return @functions[number].call(*arguments) if key.nil?

    # Answers are kept in an Array, because nil is a valid answer.
    found = @kept.get(key)
    @counts.note(!found.nil?)
    return copy_of(found.first) if found

    answer = @functions[number].call(*arguments)
    keep(key, answer)
    answer
  end

  def close
    {{module}}::Tierup::Forks.forget(self)
    @counts.close
  end

  # A forked child begins with an empty cache.
  def after_fork
    @kept.renew
    @counts.renew
    true
  end

  private

  def key_of(number, arguments)
    [number, {{module}}::Tierup::FUNCTIONS[number].encoded(arguments).freeze].freeze
  rescue StandardError
    nil
  end

  # Keeps a copy, which the caller cannot change. Values that cannot be copied, such as a Proc or a file, are not kept.
  def keep(key, answer)
    if UNCHANGING.include?(answer.class) then @kept.put(key, [answer], 0)
    elsif plain?(answer) then @kept.put(key, [own(answer).freeze], answer.bytesize)
    else
      content = Marshal.dump(answer).freeze
      # This raises for a value that cannot be read again.
      Marshal.load(content)
      @kept.put(key, [Dumped.new(content).freeze], content.bytesize)
    end
  rescue StandardError, SystemStackError
    nil
  end

  # `dup` of a part of a string would keep the whole string.
  def own(answer) = String.new(capacity: answer.bytesize, encoding: answer.encoding) << answer

  def plain?(answer) = answer.instance_of?(String) && answer.instance_variables.empty?

  def copy_of(kept)
    case kept
    when Dumped then Marshal.load(kept.content)
    when String then kept.dup
    else kept
    end
  end
end

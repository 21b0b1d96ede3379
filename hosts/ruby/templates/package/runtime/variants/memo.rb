# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `0:memo`: the server's own functions behind a bounded cache of their answers, by the encoded arguments. It is right for a function
# whose answer depends on nothing but its arguments.
#
# Each caller gets a copy, so that a caller that changes its answer changes no other. An error is not kept: the next call may
# succeed. Calls do not wait for each other.

require_relative "encoded"
require_relative "../counts"
require_relative "../forks"
require_relative "../kept"

class {{module}}::Tierup::Memo < {{module}}::Tierup::Encoded
  # Any other value, as Marshal writes it.
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

    # A list of it, because nil is an answer.
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

  # A forked child begins with nothing.
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

  # Keeps a copy, before the caller has the answer and may change it. Values that cannot be copied are not kept: a Proc, a
  # file, and the like.
  def keep(key, answer)
    if UNCHANGING.include?(answer.class) then @kept.put(key, [answer], 0)
    elsif plain?(answer) then @kept.put(key, [own(answer).freeze], answer.bytesize)
    else
      content = Marshal.dump(answer).freeze
      # A value that cannot be read again raises here.
      Marshal.load(content)
      @kept.put(key, [Dumped.new(content).freeze], content.bytesize)
    end
  rescue StandardError, SystemStackError
    nil
  end

  # Not `dup`: the copy of a part of a string would keep the whole string.
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

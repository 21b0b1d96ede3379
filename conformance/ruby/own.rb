# frozen_string_literal: true

# The server's own functions, from before Rust: some of those that Rust has. They count their calls.
module Own
  # Threads may call at the same time.
  CALLS = Queue.new

  module_function

  def echo(value)
    CALLS << true
    value
  end

  def echo_text(text) = echo(text)
  def echo_texts(texts) = echo(texts)
  def echo_option_text(text) = echo(text)
  def echo_point(point) = echo(point)
  def echo_owned_text(text) = echo(text)
  def do_nothing = echo(nil)
  def fail(words) = raise(echo(words))
  def count_calls = CALLS.size

  def check_limit(value, limit)
    raise ArgumentError, "more than #{limit} is too large" if value > limit
  end
end

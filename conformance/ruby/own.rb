# frozen_string_literal: true

# The server's own functions, from before Rust: some of those that Rust has.
module Own
  module_function

  def echo_text(text) = text
  def utf8_length(text) = text.bytesize

  def check_limit(value, limit)
    raise ArgumentError, "more than #{limit} is too large" if value > limit
  end
end

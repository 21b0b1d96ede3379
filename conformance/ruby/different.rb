# frozen_string_literal: true

# Functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs.
module Different
  module_function

  def echo_text(text) = text == "😀" ? ":-)" : text
  def panic_if(_condition, text) = text.upcase
  def fail(words) = words == "nothing" ? "".b : raise("own words for #{words}")
  def hang_on(word) = word == "changed" ? 0 : word.size
  def make_bytes(length) = "\1".b * [Integer(length), 100].min
  # Changes its argument before anybody compares.
  def echo_texts(texts) = texts.dup.tap { texts.clear }
  def echo_bytes(content) = content
  def count_calls = 0
end

defmodule ConformanceServer.Broken do
  @moduledoc "An exception whose message cannot be read."
  defexception []
  def message(_), do: raise("its own")
end

defmodule ConformanceServer.Different do
  @moduledoc "Functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs."

  def echo_text("😀"), do: ":-)"
  def echo_text("thrown"), do: throw(:thrown)
  def echo_text("left"), do: exit(:left)
  def echo_text("broken"), do: raise(ConformanceServer.Broken)
  def echo_text(text), do: text
  def panic_if(_, text) when is_binary(text), do: String.upcase(text)
  def fail("nothing"), do: ""
  def fail(words), do: raise("own words for #{words}")
  def hang_on(word), do: if(word == "changed", do: 0, else: byte_size(word))
  def make_bytes(length), do: :binary.copy(<<1>>, min(length, 100))
  def echo_texts(texts), do: texts
  def echo_bytes(content), do: content
  def count_calls, do: 0
end

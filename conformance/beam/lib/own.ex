defmodule ConformanceServer.Own do
  @moduledoc "Tier 0: the server's own functions, some of those of the crate."

  def echo_text(text), do: text
  def echo_u64(value), do: {:ok, value}
  def fail(words), do: raise(words)
  def parse_number(text), do: {:error, "cannot parse #{text}"}
  def panic_with(_), do: %{not: "text"}
end

defmodule ConformanceServer.OwnText do
  @moduledoc "Another baseline, of one function."

  def echo_text(text), do: "own " <> text
end

defmodule ConformanceServer.Own do
  @moduledoc "Tier 0: the server's own functions, some of those of the crate. Some count their calls."

  @on_load :begin_count
  def begin_count, do: :persistent_term.put(__MODULE__, :counters.new(1, []))

  defp echo(value) do
    :counters.add(:persistent_term.get(__MODULE__), 1, 1)
    value
  end

  def echo_text(text), do: echo(text)
  def echo_texts(texts), do: echo(texts)
  def echo_option_text(text), do: echo(text)
  def echo_point(point), do: echo(point)
  def echo_owned_text(text), do: echo(text)
  def do_nothing, do: echo(nil)
  def fail(words), do: words |> echo() |> raise()
  def count_calls, do: :counters.get(:persistent_term.get(__MODULE__), 1)
  def echo_u64(value), do: {:ok, value}
  def parse_number(text), do: {:error, "cannot parse #{text}"}
  def panic_with(_), do: %{not: "text"}
end

defmodule ConformanceServer.OwnText do
  @moduledoc "Another baseline, of one function."

  def echo_text(text), do: "own " <> text
end

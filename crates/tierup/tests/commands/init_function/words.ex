defmodule Words.Scale do
  defstruct [:factor]
end

defmodule Words do
  def tally(text, limit \\ nil) do
    words = text |> String.split() |> Enum.take(limit || 100)
    %{words: length(words), longest: Enum.max_by(words, &String.length/1, fn -> nil end)}
  end

  def shout(""), do: raise(ArgumentError, "no")
  def shout(text), do: String.upcase(text)

  def join([]), do: {:error, "nothing"}
  def join(words), do: {:ok, letters(words, "")}

  # Recursive: called once from outside.
  defp letters([], joined), do: joined
  defp letters([word | words], joined), do: letters(words, joined <> word)

  def longest(words), do: Enum.max_by(words, &String.length/1)
  def longest(words, least), do: Enum.filter(words, &(String.length(&1) > least))

  def weigh(sizes, %Words.Scale{factor: factor}), do: (sizes["size"] + 2) * factor

  def bounds(text), do: {String.first(text), String.last(text)}

  def packed(text), do: <<255>> <> text

  def whisper(text), do: String.downcase(text)
end

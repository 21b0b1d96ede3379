defmodule QrServer.Query do
  @moduledoc """
  Query strings, read strictly.

  `URI.decode_query` takes bytes that are no UTF-8 for text. Here a parameter is text and nothing else.
  """

  @doc "The values of all parameters with that name; `query` is what was sent behind the `?`."
  def values_of(query, name) do
    if query =~ ~r/%(?![0-9A-Fa-f]{2})|[^!-~]/, do: throw(:malformed)

    values =
      for parameter <- String.split(query, "&"),
          [key | value] = String.split(parameter, "=", parts: 2),
          value = decoded(Enum.at(value, 0, "")),
          decoded(key) == name,
          do: value

    {:ok, values}
  catch
    :malformed -> :malformed
  end

  defp decoded(encoded) do
    text = URI.decode_www_form(encoded)
    if String.valid?(text), do: text, else: throw(:malformed)
  end
end

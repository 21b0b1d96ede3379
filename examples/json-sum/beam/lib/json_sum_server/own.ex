defmodule JsonSumServer.Own do
  @moduledoc """
  Tier 0: how the service added up its items before there was any Rust. A reader of JSON, and a loop.

  What it takes is what JavaScript's `JSON.parse` takes, because that is what clients have been talking to.
  """

  alias JsonSumServer.Json

  # JavaScript's Number.MAX_SAFE_INTEGER.
  @largest 9_007_199_254_740_991

  @doc "The sum of `value * 2` over the items of `{\"items\":[{\"value\":n}, …]}`."
  def sum_items(body) do
    case Json.parse(body) do
      {:ok, %{"items" => items}} when is_list(items) -> sum(items, 0, 0)
      {:ok, _} -> {:error, "the body is not an object with an array of \"items\""}
      {:error, words} -> {:error, "the body is not JSON: #{words}"}
    end
  end

  defp sum([], _, total), do: {:ok, total}

  defp sum([item | items], place, total) do
    case whole(item) do
      nil ->
        {:error, "items[#{place}].value is not a whole number of up to 2^53 - 1"}

      value when abs(total + value * 2) > @largest ->
        {:error, "overflow: at items[#{place}] the sum is beyond 2^53 - 1"}

      value ->
        sum(items, place + 1, total + value * 2)
    end
  end

  defp whole(%{"value" => value}) when is_integer(value) and abs(value) <= @largest, do: value
  defp whole(%{"value" => value}) when is_float(value) and abs(value) <= @largest and trunc(value) == value, do: trunc(value)
  defp whole(_), do: nil
end

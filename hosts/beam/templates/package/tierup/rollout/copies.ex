# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Copies do
  @moduledoc false
  # Encoded copies of arguments and answers, for the process that compares them.

  alias {{module}}.CallError
  alias {{module}}.CallTimeoutError
  alias {{module}}.PanicError
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Wire
  alias {{module}}.TransportError
  alias {{module}}.Unavailable

  # The most bytes that the arguments may have, and that an answer may have.
  @largest 65_536
  # The most bytes of a message.
  @most_words 1_000

  @error 1
  @panic 2
  @refused 3

  # {:ok, bytes}, :too_large, or {:error, exception} if Rust would refuse the arguments.
  def arguments(function, arguments) do
    with {:ok, bytes} <- bounded(arguments, fn -> Wire.encode_arguments(function, arguments) end) do
      types = Enum.map(function.parameters, &elem(&1, 1))
      is_text = Enum.zip_with(types, arguments, &utf8?/2) |> Enum.all?()
      if is_text, do: {:ok, bytes}, else: {:error, %ArgumentError{message: "#{function.name}: text is not valid UTF-8"}}
    end
  end

  # What a call has answered, as {:ok, bytes} or :too_large; nil if that says nothing about the function.
  def answer(function, {:ok, value}, _) do
    case bounded(value, fn -> Wire.encode_output(function, value) end) do
      {:ok, bytes} when byte_size(bytes) < @largest -> {:ok, <<0, bytes::binary>>}
      # No tier in Rust can return this value.
      {:error, error} -> message(@refused, error)
      _ -> :too_large
    end
  end

  def answer(_, {:error, %CallError{} = error}, _), do: message(@error, error)
  def answer(_, {:error, %PanicError{} = error}, _), do: message(@panic, error)
  def answer(_, {:error, %module{}}, _) when module in [CallTimeoutError, TransportError, Unavailable], do: nil
  # Any other error of the server's own code is the function's.
  def answer(_, {:error, error}, "0" <> _), do: message(@error, error)
  def answer(_, {:error, %ArgumentError{} = error}, _), do: message(@refused, error)
  def answer(_, _, _), do: nil

  # The beginning of an error's text, up to its first bytes that are not UTF-8.
  def words(error) do
    words = Exception.message(error)

    case :unicode.characters_to_binary(binary_part(words, 0, min(byte_size(words), @most_words))) do
      {_, begin, _} -> begin
      whole -> whole
    end
  end

  defp message(tag, error) do
    words = words(error)
    {:ok, <<tag, byte_size(words)::little-32, words::binary>>}
  end

  # Encoding goes through all of a value before its length is known, so this checks first.
  defp bounded(value, encode) do
    left(@largest, value)

    case encode.() do
      {:ok, bytes} when byte_size(bytes) > @largest -> :too_large
      encoded -> encoded
    end
  catch
    :too_large -> :too_large
  end

  # How many bytes remain after a value, which takes at least one byte for each item.
  defp left(most, _) when most < 0, do: throw(:too_large)
  defp left(most, value) when is_binary(value), do: most |> Kernel.-(byte_size(value)) |> left(nil)
  defp left(most, [first | rest]), do: most |> Kernel.-(1) |> left(first) |> left(rest)
  defp left(most, value) when is_map(value), do: :maps.fold(fn key, item, most -> most |> left(key) |> left(item) end, left(most - map_size(value), nil), value)
  defp left(most, value) when is_tuple(value), do: left(most, Tuple.to_list(value))
  defp left(most, _), do: most

  # Whether all text in a value is UTF-8, which otherwise only Rust checks. The value fits its type.
  defp utf8?(:text, value), do: String.valid?(value)
  defp utf8?({:optional, type}, value), do: value == nil or utf8?(type, value)
  defp utf8?({:list, type}, value), do: Enum.all?(value, &utf8?(type, &1))
  defp utf8?({:map, type}, value), do: Enum.all?(value, fn {key, item} -> String.valid?(key) and utf8?(type, item) end)
  defp utf8?({:defined, number}, value), do: parts_utf8?(Interface.definition(number), value)
  defp utf8?(_, _), do: true

  defp parts_utf8?({:record, _, fields}, value), do: fields_utf8?(fields, value)
  defp parts_utf8?(_, value) when is_atom(value), do: true

  defp parts_utf8?({:cases, _, by_tag, _}, value) do
    [tag | values] = Tuple.to_list(value)

    case by_tag[tag] do
      {_, {:named, fields}} -> fields_utf8?(fields, hd(values))
      {_, {:tuple, types}} -> Enum.zip_with(types, values, &utf8?/2) |> Enum.all?()
    end
  end

  defp fields_utf8?(fields, value), do: Enum.all?(fields, fn {field, type} -> utf8?(type, Map.fetch!(value, field)) end)
end

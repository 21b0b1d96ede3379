defmodule JsonSumServer.Json do
  @moduledoc """
  JSON as JavaScript's `JSON.parse` reads it: RFC 8259 to the letter, in UTF-8; of keys that come twice, the last one counts.

  It stands in the place of Hex's Jason. Debian's mochijson2 takes `[1,]` and a raw tab in a text for JSON, and refuses `1e400`.

  Objects are maps, `null` is `nil`. Whole numbers in plain digits are integers, others floats; one beyond all floats, or of more digits
  than a float has, is `:large`. Half a surrogate pair keeps its three bytes, which are no UTF-8.
  """

  # A whole number of more digits is beyond 2^53.
  @digits 16

  def parse(bytes) do
    {value, rest} = value(space(bytes))
    if space(rest) == "", do: {:ok, value}, else: {:error, "something follows the document"}
  catch
    {:bad, words} -> {:error, words}
  end

  defp value(<<?{, rest::binary>>), do: object(space(rest))
  defp value(<<?[, rest::binary>>), do: array(space(rest))
  defp value(<<?", rest::binary>>), do: text(rest)
  defp value(<<"true", rest::binary>>), do: {true, rest}
  defp value(<<"false", rest::binary>>), do: {false, rest}
  defp value(<<"null", rest::binary>>), do: {nil, rest}
  defp value(<<first, _::binary>> = bytes) when first in ?0..?9 or first == ?-, do: number(bytes)
  defp value(""), do: bad("it ends too early")
  defp value(_), do: bad("a value is missing")

  defp object(<<?}, rest::binary>>), do: {%{}, rest}
  defp object(bytes), do: members(bytes, [])

  defp members(<<?", rest::binary>>, members) do
    {key, rest} = text(rest)

    case space(rest) do
      <<?:, rest::binary>> ->
        {value, rest} = value(space(rest))
        members = [{key, value} | members]

        case space(rest) do
          <<?,, rest::binary>> -> members(space(rest), members)
          # The last one of a key counts.
          <<?}, rest::binary>> -> {members |> Enum.reverse() |> Map.new(), rest}
          _ -> bad("an object does not end")
        end

      _ ->
        bad("a key has no value")
    end
  end

  defp members(_, _), do: bad("a key is missing")

  defp array(<<?], rest::binary>>), do: {[], rest}
  defp array(bytes), do: items(bytes, [])

  defp items(bytes, items) do
    {value, rest} = value(bytes)
    items = [value | items]

    case space(rest) do
      <<?,, rest::binary>> -> items(space(rest), items)
      <<?], rest::binary>> -> {Enum.reverse(items), rest}
      _ -> bad("an array does not end")
    end
  end

  defp text(bytes), do: text(bytes, bytes, 0, [])

  # `bytes` begins `length` bytes before `rest`; `parts` are before both, the last one first.
  defp text(<<?", rest::binary>>, bytes, length, []), do: {binary_part(bytes, 0, length), rest}
  defp text(<<?", rest::binary>>, bytes, length, parts), do: {whole(parts, bytes, length), rest}

  defp text(<<?\\, rest::binary>>, bytes, length, parts) do
    {character, rest} = escaped(rest)
    text(rest, rest, 0, [character, binary_part(bytes, 0, length) | parts])
  end

  defp text(<<byte, rest::binary>>, bytes, length, parts) when byte in 0x20..0x7F, do: text(rest, bytes, length + 1, parts)
  defp text(<<code::utf8, rest::binary>>, bytes, length, parts) when code > 0x7FF, do: text(rest, bytes, length + if(code > 0xFFFF, do: 4, else: 3), parts)
  defp text(<<code::utf8, rest::binary>>, bytes, length, parts) when code > 0x7F, do: text(rest, bytes, length + 2, parts)
  defp text(<<byte, _::binary>>, _, _, _) when byte < 0x20, do: bad("a text has a control character")
  defp text("", _, _, _), do: bad("a text does not end")
  defp text(_, _, _, _), do: bad("a text is not UTF-8")

  defp whole(parts, bytes, length), do: [binary_part(bytes, 0, length) | parts] |> Enum.reverse() |> IO.iodata_to_binary()

  for {letter, character} <- [{?", "\""}, {?\\, "\\"}, {?/, "/"}, {?b, "\b"}, {?f, "\f"}, {?n, "\n"}, {?r, "\r"}, {?t, "\t"}] do
    defp escaped(<<unquote(letter), rest::binary>>), do: {unquote(character), rest}
  end

  defp escaped(<<?u, digits::binary-size(4), rest::binary>>) do
    case unit(digits) do
      high when high in 0xD800..0xDBFF -> pair(high, rest)
      half when half in 0xDC00..0xDFFF -> {half(half), rest}
      code -> {<<code::utf8>>, rest}
    end
  end

  defp escaped(_), do: bad("a text has an escape that is none")

  defp pair(high, <<?\\, ?u, digits::binary-size(4), rest::binary>> = bytes) do
    case unit(digits) do
      low when low in 0xDC00..0xDFFF -> {<<0x10000 + Bitwise.bsl(high - 0xD800, 10) + low - 0xDC00::utf8>>, rest}
      _ -> {half(high), bytes}
    end
  end

  defp pair(high, bytes), do: {half(high), bytes}

  defp half(unit), do: <<0b1110::4, Bitwise.bsr(unit, 12)::4, 0b10::2, Bitwise.bsr(unit, 6)::6, 0b10::2, unit::6>>

  defp unit(digits) do
    if digits =~ ~r/\A[0-9A-Fa-f]{4}\z/, do: String.to_integer(digits, 16), else: bad("a text has an escape that is none")
  end

  defp number(<<?-, rest::binary>> = bytes), do: whole_part(rest, bytes, 1)
  defp number(bytes), do: whole_part(bytes, bytes, 0)

  defp whole_part(<<?0, rest::binary>>, bytes, length), do: point(rest, bytes, length, length + 1)

  defp whole_part(<<digit, rest::binary>>, bytes, length) when digit in ?1..?9 do
    {rest, more} = digits(rest, 0)
    point(rest, bytes, length, length + 1 + more)
  end

  defp whole_part(_, _, _), do: bad("a number has no digits")

  # `sign` is the length of the sign, `length` that of all so far.
  defp point(<<?., rest::binary>>, bytes, _, length) do
    case digits(rest, 0) do
      {_, 0} -> bad("a number has no digits behind its point")
      {rest, count} -> exponent(rest, bytes, binary_part(bytes, 0, length + 1 + count))
    end
  end

  defp point(<<letter, _::binary>> = rest, bytes, _, length) when letter in [?e, ?E],
    do: exponent(rest, bytes, [binary_part(bytes, 0, length), ".0"])

  defp point(rest, _, sign, length) when length - sign > @digits, do: {:large, rest}
  defp point(rest, bytes, _, length), do: {bytes |> binary_part(0, length) |> String.to_integer(), rest}

  defp exponent(<<letter, rest::binary>>, _, mantissa) when letter in [?e, ?E] do
    {sign, rest} =
      case rest do
        <<sign, rest::binary>> when sign in [?+, ?-] -> {<<sign>>, rest}
        _ -> {"", rest}
      end

    case digits(rest, 0) do
      {_, 0} -> bad("a number has no digits in its exponent")
      {after_it, count} -> {float([mantissa, "e", sign, binary_part(rest, 0, count)]), after_it}
    end
  end

  defp exponent(rest, _, mantissa), do: {float(mantissa), rest}

  # The BEAM has no infinities.
  defp float(digits) do
    digits |> IO.iodata_to_binary() |> String.to_float()
  rescue
    ArgumentError -> :large
  end

  defp digits(<<digit, rest::binary>>, count) when digit in ?0..?9, do: digits(rest, count + 1)
  defp digits(rest, count), do: {rest, count}

  defp space(<<byte, rest::binary>>) when byte in [?\s, ?\t, ?\n, ?\r], do: space(rest)
  defp space(bytes), do: bytes

  defp bad(words), do: throw({:bad, words})
end

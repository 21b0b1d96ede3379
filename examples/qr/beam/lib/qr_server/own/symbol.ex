defmodule QrServer.Own.Symbol do
  @moduledoc "Codewords to rows of modules, 1 for dark, under the mask with the smallest penalty."

  import Bitwise

  def draw(version, codewords) do
    size = 17 + 4 * version
    patterns = patterns(version, size)
    data = placed(codewords, patterns, size)

    0..7
    |> Enum.map(fn mask ->
      patterns = Map.merge(patterns, format(mask, size))

      for y <- 0..(size - 1) do
        for x <- 0..(size - 1) do
          case patterns do
            %{{^x, ^y} => module} -> module
            _ -> bxor(Map.get(data, {x, y}, 0), masked(mask, x, y))
          end
        end
      end
    end)
    |> Enum.min_by(&penalty/1)
  end

  # What every symbol of a version has, with the places of the format.
  defp patterns(version, size) do
    timing = for at <- 0..(size - 1), module = 1 - rem(at, 2), place <- [{6, at}, {at, 6}], into: %{}, do: {place, module}

    finders =
      for {left, top} <- [{3, 3}, {size - 4, 3}, {3, size - 4}],
          dx <- -4..4,
          dy <- -4..4,
          inside?(left + dx, size) and inside?(top + dy, size),
          into: %{},
          do: {{left + dx, top + dy}, if(max(abs(dx), abs(dy)) in [2, 4], do: 0, else: 1)}

    centers = centers(version, size)
    last = List.last(centers)

    alignments =
      for x <- centers,
          y <- centers,
          {x, y} not in [{6, 6}, {6, last}, {last, 6}],
          dx <- -2..2,
          dy <- -2..2,
          into: %{},
          do: {{x + dx, y + dy}, if(max(abs(dx), abs(dy)) == 1, do: 0, else: 1)}

    timing |> Map.merge(finders) |> Map.merge(alignments) |> Map.merge(version_bits(version, size)) |> Map.merge(format(0, size))
  end

  defp inside?(at, size), do: at >= 0 and at < size

  defp centers(1, _), do: []

  defp centers(version, size) do
    count = div(version, 7) + 2
    step = if version == 32, do: 26, else: div(version * 4 + count * 2 + 1, count * 2 - 2) * 2
    [6 | for(at <- (count - 2)..0, do: size - 7 - at * step)]
  end

  defp version_bits(version, _) when version < 7, do: %{}

  defp version_bits(version, size) do
    bits = version <<< 12 ||| checked(version, 12, 0x1F25)

    for at <- 0..17, {a, b} = {size - 11 + rem(at, 3), div(at, 3)}, place <- [{a, b}, {b, a}], into: %{} do
      {place, bit(bits, at)}
    end
  end

  # Level L and the mask, twice, and a module that is always dark.
  defp format(mask, size) do
    data = 1 <<< 3 ||| mask
    bits = bxor(data <<< 10 ||| checked(data, 10, 0x537), 0x5412)
    first = for(at <- 0..5, do: {8, at}) ++ [{8, 7}, {8, 8}, {7, 8}] ++ for(at <- 9..14, do: {14 - at, 8})
    second = for(at <- 0..7, do: {size - 1 - at, 8}) ++ for(at <- 8..14, do: {8, size - 15 + at})
    modules = for places <- [first, second], {place, at} <- Enum.with_index(places), into: %{}, do: {place, bit(bits, at)}
    Map.put(modules, {8, size - 8}, 1)
  end

  defp checked(data, count, generator) do
    Enum.reduce(1..count, data, fn _, rest -> bxor(rest <<< 1, (rest >>> (count - 1)) * generator) end)
  end

  defp bit(bits, at), do: bits >>> at &&& 1

  # Two columns at a time, from the right, up and down in turns.
  defp placed(codewords, patterns, size) do
    columns = for(right <- (size - 1)..8//-2, do: right) ++ [5, 3, 1]

    places =
      for right <- columns,
          step <- 0..(size - 1),
          x <- [right, right - 1],
          y = if((right + 1 &&& 2) == 0, do: size - 1 - step, else: step),
          not is_map_key(patterns, {x, y}),
          do: {x, y}

    bits = for codeword <- codewords, at <- 7..0, do: bit(codeword, at)
    places |> Enum.zip(bits) |> Map.new()
  end

  defp masked(mask, x, y), do: if(inverts?(mask, x, y), do: 1, else: 0)

  defp inverts?(0, x, y), do: rem(x + y, 2) == 0
  defp inverts?(1, _, y), do: rem(y, 2) == 0
  defp inverts?(2, x, _), do: rem(x, 3) == 0
  defp inverts?(3, x, y), do: rem(x + y, 3) == 0
  defp inverts?(4, x, y), do: rem(div(x, 3) + div(y, 2), 2) == 0
  defp inverts?(5, x, y), do: rem(x * y, 2) + rem(x * y, 3) == 0
  defp inverts?(6, x, y), do: rem(rem(x * y, 2) + rem(x * y, 3), 2) == 0
  defp inverts?(7, x, y), do: rem(rem(x + y, 2) + rem(x * y, 3), 2) == 0

  # 7.8.3: long runs, squares, what looks like a finder, and more of one color than of the other.
  defp penalty(rows) do
    lines = rows ++ Enum.zip_with(rows, & &1)
    Enum.sum(Enum.map(lines, &(runs(&1) + finders(&1)))) + squares(rows) + balance(rows)
  end

  defp runs(line) do
    line |> Enum.chunk_by(& &1) |> Enum.map(&length/1) |> Enum.filter(&(&1 >= 5)) |> Enum.map(&(&1 - 2)) |> Enum.sum()
  end

  defp finders([1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0 | _] = line), do: 40 + finders(tl(line))
  defp finders([0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1 | _] = line), do: 40 + finders(tl(line))
  defp finders([_ | rest]), do: finders(rest)
  defp finders([]), do: 0

  defp squares(rows) do
    rows |> Enum.zip(tl(rows)) |> Enum.map(fn {upper, lower} -> squares(upper, lower) end) |> Enum.sum()
  end

  defp squares([a, a | _] = upper, [a, a | _] = lower), do: 3 + squares(tl(upper), tl(lower))
  defp squares([_ | upper], [_ | lower]), do: squares(upper, lower)
  defp squares([], []), do: 0

  defp balance(rows) do
    dark = rows |> Enum.map(&Enum.sum/1) |> Enum.sum()
    all = length(rows) * length(rows)
    10 * div(abs(20 * dark - 10 * all), all)
  end
end

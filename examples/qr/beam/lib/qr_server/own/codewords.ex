defmodule QrServer.Own.Codewords do
  @moduledoc "Text to the bytes that a symbol carries, those of the correction included."

  import Bitwise

  # By version, at level L: how many codewords of correction a block has, and how many blocks there are (table 9).
  @blocks {{7, 1}, {10, 1}, {15, 1}, {20, 1}, {26, 1}, {18, 2}, {20, 2}, {24, 2}, {30, 2}, {18, 4},
           {20, 4}, {24, 4}, {26, 4}, {30, 4}, {22, 6}, {24, 6}, {28, 6}, {30, 6}, {28, 7}, {28, 8},
           {28, 8}, {28, 9}, {30, 9}, {30, 10}, {26, 12}, {28, 12}, {30, 12}, {30, 13}, {30, 14}, {30, 15},
           {30, 16}, {30, 17}, {30, 18}, {30, 19}, {30, 19}, {30, 20}, {30, 21}, {30, 22}, {30, 24}, {30, 25}}

  @alphanumeric ~c"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:" |> Enum.with_index() |> Map.new()

  # Powers of 2 in the field of 256 elements, and their logarithms.
  @powers Enum.scan(1..254, 1, fn _, power -> rem(power * 2, 256) |> bxor(if power > 127, do: 0x1D, else: 0) end)
          |> then(&List.to_tuple([1 | &1]))
  @logarithms Map.new(0..254, &{elem(@powers, &1), &1})

  @doc "The smallest version that holds the text, and all its codewords in the order in which they are placed."
  def of(text) do
    {mode, count, bits} = segment(text)

    Enum.find_value(1..40, fn version ->
      room = 8 * data(version)
      head = <<mode::4, count::size(count_bits(mode, version))>>
      used = bit_size(head) + bit_size(bits)
      if used <= room, do: {version, with_correction(padded(<<head::bits, bits::bits>>, room), version)}
    end)
  end

  defp segment(text) do
    characters = String.to_charlist(text)

    cond do
      Enum.all?(characters, &(&1 in ?0..?9)) -> {1, length(characters), numeric(characters)}
      Enum.all?(characters, &is_map_key(@alphanumeric, &1)) -> {2, length(characters), alphanumeric(characters)}
      true -> {4, byte_size(text), text}
    end
  end

  defp numeric(digits) do
    for part <- Enum.chunk_every(digits, 3), into: <<>>, do: <<List.to_integer(part)::size(3 * length(part) + 1)>>
  end

  defp alphanumeric(characters) do
    for part <- Enum.chunk_every(characters, 2), into: <<>> do
      case Enum.map(part, &@alphanumeric[&1]) do
        [one, two] -> <<45 * one + two::11>>
        [one] -> <<one::6>>
      end
    end
  end

  defp count_bits(1, version), do: 10 + step(version)
  defp count_bits(2, version), do: 9 + step(version)
  defp count_bits(4, version), do: if(version < 10, do: 8, else: 16)

  defp step(version) when version < 10, do: 0
  defp step(version) when version < 27, do: 2
  defp step(_), do: 4

  defp padded(bits, room) do
    end_bits = min(4, room - bit_size(bits))
    bits = <<bits::bits, 0::size(end_bits)>>
    bits = <<bits::bits, 0::size(rem(8 - rem(bit_size(bits), 8), 8))>>
    padding = Stream.cycle([0xEC, 0x11]) |> Enum.take(div(room, 8) - byte_size(bits))
    :binary.bin_to_list(bits) ++ padding
  end

  # How many codewords a version has: all modules without the patterns that every symbol has.
  defp all(version) do
    modules = (16 * version + 128) * version + 64
    patterns = div(version, 7) + 2
    modules = if version > 1, do: modules - ((25 * patterns - 10) * patterns - 55), else: modules
    div(if(version > 6, do: modules - 36, else: modules), 8)
  end

  defp data(version) do
    {correction, blocks} = elem(@blocks, version - 1)
    all(version) - correction * blocks
  end

  # Each block has its own correction. If the data cannot be dealt out evenly, the last blocks have one codeword more.
  defp with_correction(data, version) do
    {count, blocks} = elem(@blocks, version - 1)
    short = div(length(data), blocks)
    {shorter, longer} = Enum.split(data, short * (blocks - rem(length(data), blocks)))
    blocks = Enum.chunk_every(shorter, short) ++ Enum.chunk_every(longer, short + 1)
    generator = generator(count)
    by_turns(blocks) ++ by_turns(Enum.map(blocks, &remainder(&1, generator)))
  end

  # The first of every block, the second of every block and so on.
  defp by_turns(blocks) do
    case Enum.reject(blocks, &(&1 == [])) do
      [] -> []
      left -> Enum.map(left, &hd/1) ++ by_turns(Enum.map(left, &tl/1))
    end
  end

  # The product of (x - 2^i), without its leading 1.
  defp generator(count) do
    tl(
      Enum.reduce(0..(count - 1), [1], fn power, polynomial ->
        root = elem(@powers, power)
        Enum.zip_with(polynomial ++ [0], [0 | polynomial], fn one, other -> bxor(one, times(other, root)) end)
      end)
    )
  end

  # What is left of the data when it is divided by the generator.
  defp remainder(data, generator) do
    Enum.reduce(data, List.duplicate(0, length(generator)), fn byte, [first | rest] ->
      factor = bxor(byte, first)
      Enum.zip_with(rest ++ [0], generator, fn one, other -> bxor(one, times(other, factor)) end)
    end)
  end

  defp times(0, _), do: 0
  defp times(_, 0), do: 0
  defp times(one, other), do: elem(@powers, rem(@logarithms[one] + @logarithms[other], 255))
end

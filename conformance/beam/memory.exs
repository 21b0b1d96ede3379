# What allocating memory costs a call: its time and page faults in a loop, and how often calls have page faults after calls of any size.
# `mix run memory.exs [TIER]`, after `tierup build conformance --hosts beam`. Not a test, as others may want the processors, too.

defmodule Memory do
  def tables(tier) do
    Conformance.bind(tier: tier)
    IO.puts("| at #{tier} | us a call | page faults a call |\n|---|--:|--:|")

    for size <- [64, 65_536, 400_000, 1_000_000, 8_000_000], {name, call} <- calls(size) do
      {time, faults} = measured(call, max(20, min(2000, div(20_000_000, size))))
      IO.puts("| #{name}, #{size} bytes | #{Float.round(time, 1)} | #{Float.round(faults, 1)} |")
    end

    rounds = 200
    paid = Enum.count(1..rounds, fn _ -> any_sizes() && pays?() end)
    IO.puts("\nafter calls of any sizes, calls with 64 KiB to 500 kB paid at least a page fault for each 8 KiB in #{paid} of #{rounds} rounds")
  end

  # The first call has a short answer, the second one as long as its argument.
  defp calls(size) do
    bytes = :binary.copy(<<255>>, size)
    text = String.duplicate("a", size)
    [decode_utf8: fn -> {:error, _} = Conformance.decode_utf8(bytes) end, echo_text: fn -> Conformance.echo_text!(text) end]
  end

  # Medians of nine slices.
  defp measured(call, count) do
    times(20, call)

    slices =
      for _ <- 1..9 do
        before = page_faults()
        {time, :ok} = :timer.tc(fn -> times(count, call) end)
        {time / count, (page_faults() - before) / count}
      end

    {times, faults} = Enum.unzip(slices)
    {median(times), median(faults)}
  end

  defp median(values), do: values |> Enum.sort() |> Enum.at(div(length(values), 2))

  defp any_sizes do
    1..:rand.uniform(12)
    |> Enum.map(fn _ -> Task.async(fn -> times(:rand.uniform(20), &any_size/0) end) end)
    |> Task.await_many(:infinity)
  end

  defp any_size do
    bytes = :binary.copy(<<255>>, :rand.uniform(3_000_000))
    if :rand.uniform(2) == 1, do: Conformance.echo_bytes!(bytes), else: Conformance.decode_utf8(bytes)
  end

  defp pays? do
    Enum.any?([65_536, 200_000, 500_000], fn size ->
      [{_, call} | _] = calls(size)
      {_, faults} = measured(call, 20)
      faults > size / 8192
    end)
  end

  # The minor page faults of the whole process, which do not read from a disk.
  defp page_faults do
    [_, fields] = "/proc/self/stat" |> File.read!() |> String.split(") ", parts: 2)
    fields |> String.split(" ") |> Enum.at(7) |> String.to_integer()
  end

  defp times(0, _), do: :ok
  defp times(count, function), do: function.() && times(count - 1, function)
end

Memory.tables(List.first(System.argv()) || "3:native")

# Prints what one call costs on the BEAM, for each way of doing it. Arguments: the folder that `run.sh` fills. The package `Crossings`
# is on the code path.

defmodule Rivals.Rustler do
  @on_load :load

  def load, do: :erlang.load_nif(~c"#{hd(System.argv())}/librivals_rustler", 0)
  def echo_text(_), do: :erlang.nif_error(:not_loaded)
  def echo_bytes(_), do: :erlang.nif_error(:not_loaded)
  def sort_and_hash(_, _), do: :erlang.nif_error(:not_loaded)
  def normal_echo_text(_), do: :erlang.nif_error(:not_loaded)
  def normal_echo_bytes(_), do: :erlang.nif_error(:not_loaded)
end

defmodule Paired do
  @moduledoc """
  Times rows side by side: every round gives each row one slice, in an order of its own. What is compared is compared within a round, so
  that whatever else the machine does falls on all of them.
  """

  @slice 20_000_000
  @rounds 21

  # `rows` are {name, call}; the first is what the others are compared with. Prints a table.
  def compare(title, rows) do
    repeats = Map.new(rows, fn {name, call} -> {name, repeats(call, 1)} end)

    times =
      for _ <- 1..@rounds, {name, call} <- Enum.shuffle(rows), reduce: %{} do
        times -> Map.update(times, name, [slice(call, repeats[name])], &[slice(call, repeats[name]) | &1])
      end

    IO.puts("\n| #{title} | one call | x the first | 10-90 % |\n|---|--:|--:|--:|")
    first = times[elem(hd(rows), 0)]

    for {name, _} <- rows do
      ratios = times[name] |> Enum.zip_with(first, &(&1 / &2)) |> Enum.sort()
      [low, middle, high] = for part <- [0.1, 0.5, 0.9], do: ratios |> Enum.at(round(part * (@rounds - 1))) |> shown()
      one = times[name] |> Enum.sort() |> Enum.at(div(@rounds, 2))
      IO.puts("| #{name} | #{shown(one / 1000)} us | #{middle} | #{low}-#{high} |")
    end
  end

  defp repeats(call, count) do
    spent = slice(call, count) * count
    if count < 1_000_000 and spent < @slice, do: repeats(call, min(count * 10, max(count + 1, trunc(count * @slice / max(spent, 1))))), else: count
  end

  # Nanoseconds for one call, over `count` of them.
  defp slice(call, count) do
    start = System.monotonic_time(:nanosecond)
    calls(call, count)
    (System.monotonic_time(:nanosecond) - start) / count
  end

  defp calls(_, 0), do: :ok

  defp calls(call, count) do
    call.()
    calls(call, count - 1)
  end

  defp shown(number), do: :erlang.float_to_binary(number / 1, decimals: 2)
end

text = "a text of sixty-four bytes, like a title that becomes an address"
bytes = for _ <- 1..256, byte <- 0..255, into: "", do: <<byte>>

# What a server calls, at one tier.
own = fn tier ->
  {_, variant, state} = Crossings.Tierup.Tiers.choose(tier: tier)
  :ok = variant.ready(state)
  number = fn name -> Enum.find(Crossings.Tierup.Interface.functions(), &(&1.name == name)).number end
  fn name, arguments -> fn number -> fn -> elem(variant.call(state, number, arguments), 1) end end.(number.(name)) end
end

[native, pooled, core] = for tier <- ["3:native", "1:pool", "2:core"], do: own.(tier)

tables = [
  {"echo_text, 64 bytes",
   [
     {"tierup's 3:native, rustler", native.(:echo_text, [text])},
     {"rustler, dirty", fn -> Rivals.Rustler.echo_text(text) end},
     {"rustler, a normal scheduler", fn -> Rivals.Rustler.normal_echo_text(text) end},
     {"tierup's 2:core", core.(:echo_text, [text])},
     {"tierup's 1:pool", pooled.(:echo_text, [text])}
   ]},
  {"echo_bytes, 64 KiB",
   [
     {"tierup's 3:native, rustler", native.(:echo_bytes, [bytes])},
     {"rustler, dirty", fn -> Rivals.Rustler.echo_bytes(bytes) end},
     {"rustler, a normal scheduler", fn -> Rivals.Rustler.normal_echo_bytes(bytes) end},
     {"tierup's 2:core", core.(:echo_bytes, [bytes])},
     {"tierup's 1:pool", pooled.(:echo_bytes, [bytes])}
   ]},
  {"sort_and_hash, 50,000 numbers",
   [
     {"tierup's 3:native, rustler", native.(:sort_and_hash, [7, 50_000])},
     {"rustler, dirty", fn -> Rivals.Rustler.sort_and_hash(7, 50_000) end}
   ]}
]

IO.puts("Elixir #{System.version()}, Erlang/OTP #{System.otp_release()}, rustler 0.39")

for {title, rows} <- tables do
  # All of them must answer alike before they are timed.
  [_] = rows |> Enum.map(fn {_, call} -> call.() end) |> Enum.uniq()
  # A process of its own, whose heap has nothing else.
  Task.await(Task.async(fn -> Paired.compare("native: #{title}", rows) end), :infinity)
end

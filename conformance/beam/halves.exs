# Whether two processes make a number of calls in half the time of one process: they do, as calls run on different schedulers.
# `mix run halves.exs`, after `tierup build conformance --hosts beam`, on a machine with two idle processors. Not a test, as others
# may want the processors, too.

defmodule Halves do
  @calls 40
  @rounds 21

  # How many milliseconds all calls take, shared out between so many processes.
  defp taken(processes) do
    own = fn seed -> for _ <- 1..div(@calls, processes), do: Conformance.churn!(seed, 1_000_000) end
    all = fn -> Enum.map(1..processes, fn seed -> Task.async(fn -> own.(seed) end) end) |> Task.await_many(60_000) end
    elem(:timer.tc(all), 0) / 1000
  end

  def show(tier) do
    Conformance.bind(tier: tier)
    Conformance.ready()
    taken(2)

    rounds =
      for round <- 1..@rounds do
        if rem(round, 2) == 0, do: {taken(1), taken(2)}, else: then({taken(2), taken(1)}, fn {two, one} -> {one, two} end)
      end

    [alone, together, ratios] =
      for of <- [&elem(&1, 0), &elem(&1, 1), &(elem(&1, 1) / elem(&1, 0))], do: rounds |> Enum.map(of) |> Enum.sort()

    middle = div(@rounds, 2)
    values = [tier, Enum.at(alone, middle), Enum.at(together, middle)] ++ Enum.map([middle, 2, @rounds - 3], &Enum.at(ratios, &1))
    IO.puts(:io_lib.format("~-9s one process ~5.1f ms, two ~5.1f ms: ~.2f [~.2f, ~.2f]", values))
  end
end

load = File.read!("/proc/loadavg") |> String.split() |> hd()
IO.puts("OTP #{System.otp_release()}, #{System.schedulers_online()} schedulers; load #{load} before")
Enum.each(["1:pool", "2:core", "3:native"], &Halves.show/1)

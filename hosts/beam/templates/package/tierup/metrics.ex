# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Metrics do
  @moduledoc false
  # What runs and why, and how many calls were made and failed. Counting takes no lock.

  alias {{module}}.Tierup.Interface

  # The counters by their numbers.
  @calls 1
  @errors 2
  @panics 3
  @timeouts 4
  @lost 5

  # The metrics of a newly chosen tier: the requested tier, and why another one runs.
  def begin(asked, instead), do: {:counters.new(@lost, [:write_concurrency]), asked, instead}

  def called({counts, _, _}), do: :counters.add(counts, @calls, 1)

  def failed({counts, _, _}, tier, error) do
    if counter = counter(tier, error), do: :counters.add(counts, counter, 1)
  end

  def read({counts, asked, instead}, tier) do
    # Calls are read last, so that they are never fewer than the failed ones.
    [lost, timeouts, panics, errors, calls] = Enum.map(@lost..@calls//-1, &:counters.get(counts, &1))

    %{
      package: Interface.package(),
      tier: tier,
      asked: asked,
      instead: instead,
      abi: Interface.abi(),
      calls: calls,
      errors: errors,
      panics: panics,
      timeouts: timeouts,
      lost: lost
    }
  end

  # The baseline lacks the function, or the arguments do not fit, so no function has failed.
  defp counter(_, %{{module}}.Unavailable{}), do: nil
  # Any error of the server's own code counts as the function's.
  defp counter("0" <> _, _), do: @errors
  defp counter(_, %{{module}}.CallError{}), do: @errors
  defp counter(_, %{{module}}.PanicError{}), do: @panics
  defp counter(_, %{{module}}.CallTimeoutError{}), do: @timeouts
  defp counter(_, %{{module}}.TransportError{}), do: @lost
  defp counter(_, _), do: nil
end

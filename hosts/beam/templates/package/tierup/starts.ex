# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Starts do
  @moduledoc false
  # The starts of a pool's workers: the pauses after failed ones, and which waiting calls a failed start ends.
  #
  # A call waits for a worker at most until the current start is over and another one has failed. If it waited for a
  # successful start, workers that hang in turns would keep it waiting forever.

  alias {{module}}.Tierup.Limits

  # The pause after a failed start, in milliseconds. It doubles with each further one.
  @first_wait 50
  @longest_wait 5_000

  # `begun` counts starts; a call keeps the number that it found. `under_way` says for each number whether the start
  # began after a failed one without a success since. `next` is the time of the next start.
  defstruct begun: 0, under_way: %{}, failed: 0, next: nil

  # How many milliseconds the next start has to wait.
  def pause(%{next: nil}), do: 0
  def pause(%{next: next}), do: max(0, next - Limits.now())

  def count(starts), do: map_size(starts.under_way)

  # Begins a start. Returns its number, and the starts.
  def begin(starts) do
    number = starts.begun + 1
    {number, %{starts | begun: number, under_way: Map.put(starts.under_way, number, starts.failed > 0)}}
  end

  def succeed(starts, number), do: %{starts | under_way: Map.delete(starts.under_way, number), failed: 0, next: nil}

  # `served?` says whether a worker can be called or executes a call. Also returns whether the failure ends the calls
  # that were waiting when the start began.
  def fail(starts, number, served?) do
    under_way = Map.delete(starts.under_way, number)
    wait = min(@first_wait * Bitwise.bsl(1, min(starts.failed, 10)), @longest_wait)
    fatal? = not served? and Enum.all?(under_way, fn {_, retry?} -> retry? end)
    {fatal?, %{starts | under_way: under_way, failed: starts.failed + 1, next: Limits.now() + wait}}
  end
end

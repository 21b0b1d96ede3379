# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Starts do
  @moduledoc false
  # The starts of a pool's workers: the pauses after failed ones, and which waiting calls a failed start ends.
  #
  # A call waits for a worker at most until the start under way is over and one more has failed. Were each call to wait
  # until some start succeeds, workers that hang in turns would keep it waiting for ever.

  alias {{module}}.Tierup.Limits

  # After a failed start the next one waits: this long at first, then twice as long each time, in milliseconds.
  @first_wait 50
  @longest_wait 5_000

  # `begun`: how many have begun; a call keeps the number that it found. `under_way`: by number, whether the start began
  # after one had failed and none had succeeded. `next`: when the next one may begin.
  defstruct begun: 0, under_way: %{}, failed: 0, next: nil

  # Milliseconds that the next start has to wait.
  def pause(%{next: nil}), do: 0
  def pause(%{next: next}), do: max(0, next - Limits.now())

  def count(starts), do: map_size(starts.under_way)

  # A new start's number, and the starts.
  def begin(starts) do
    number = starts.begun + 1
    {number, %{starts | begun: number, under_way: Map.put(starts.under_way, number, starts.failed > 0)}}
  end

  def succeed(starts, number), do: %{starts | under_way: Map.delete(starts.under_way, number), failed: 0, next: nil}

  # `served?`: whether a worker can be called, or is executing a call. Also returns whether it ends the calls that it found
  # waiting.
  def fail(starts, number, served?) do
    under_way = Map.delete(starts.under_way, number)
    wait = min(@first_wait * Bitwise.bsl(1, min(starts.failed, 10)), @longest_wait)
    fatal? = not served? and Enum.all?(under_way, fn {_, retry?} -> retry? end)
    {fatal?, %{starts | under_way: under_way, failed: starts.failed + 1, next: Limits.now() + wait}}
  end
end

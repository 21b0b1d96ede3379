# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Pairs do
  @moduledoc false
  # Compares how long calls of the candidate and of the control take, in pairs of one call each. Chance decides who gets a
  # call, and with the same probability for both sides, whether it is timed. So a candidate that is not slower loses no
  # more than half of the pairs, whatever the calls are.

  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.InForce

  # So many calls of the candidate are not timed: code may still be loaded.
  @warm_up 100

  # Whether a call of this side, :control or :candidate, is timed.
  def timed?(board, now, side) do
    part = if side == :candidate, do: 1 - now.share, else: now.share

    now.slower != nil and not now.by_input and InForce.shares?(now) and Board.counted(board, :shared) > @warm_up and
      (part == 1 or InForce.chance?(part / (1 - part)))
  end

  # The answer of a side; how long it took is noted if it is a value.
  def time(board, now, side, answer) do
    began = :erlang.monotonic_time(:nanosecond)
    answer = answer.()
    took = max(:erlang.monotonic_time(:nanosecond) - began, 1)
    if match?({:ok, _}, answer), do: note(board, now, if(side == :candidate, do: -took, else: took))
    answer
  end

  # `took` is negative for the candidate. So is a timed call that waits for one of the other side.
  defp note(board, now, took) do
    waiting = Board.put(board, :timed, took)

    if waiting * took < 0 do
      Board.put(board, :timed, 0)
      {candidate, control} = {-min(waiting, took), max(waiting, took)}
      Board.count(board, :pairs)
      if candidate > now.slower * control, do: Board.count(board, :slower)
      Board.count(board, :control_ns, control)
      Board.count(board, :candidate_ns, candidate)
    end
  end
end

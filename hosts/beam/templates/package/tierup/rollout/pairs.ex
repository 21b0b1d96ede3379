# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Pairs do
  @moduledoc false
  # Compares how long calls of the candidate and of the control take, in pairs of one call each, while each side gets half
  # of the calls. Chance decides who gets a call, so a candidate that is not slower loses no more than half of the pairs,
  # whatever the calls are. At other shares, the code of the rarer side is not in the processor's caches.

  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.InForce

  # So many calls of the candidate are not timed: code may still be loaded.
  @warm_up 100

  # Whether calls are timed.
  def timed?(board, now) do
    now.slower != nil and now.share == 0.5 and not now.by_input and InForce.shares?(now) and Board.counted(board, :shared) > @warm_up
  end

  # The answer of a side, :control or :candidate; how long it took is noted if it is a value.
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
      lead = (candidate - now.slower * control) / (candidate + now.slower * control)
      Board.count(board, if(lead > 0, do: :behind, else: :ahead), round(abs(lead) * 1.0e6))
      Board.count(board, :squares, round(lead * lead * 1.0e6))
      Board.count(board, :control_ns, control)
      Board.count(board, :candidate_ns, candidate)
    end
  end
end

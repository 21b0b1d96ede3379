# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Pairs do
  @moduledoc false
  # Compares how long calls of the candidate and of the control take, in pairs of calls of one function, while each side gets
  # half of them. Chance decides who gets a call, so the leads of a candidate that is not slower add up to 0 at most. At other
  # shares, the code of the rarer side is not in the processor's caches.

  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.Deaths
  alias {{module}}.Tierup.Rollout.InForce

  # So many calls of the candidate are not timed, for each function: code may still be loaded.
  @warm_up 100
  # The longer time of a pair counts as this many times the shorter one at most: the BEAM may have been stopped.
  @most_apart 100

  # For each function: the candidate's calls so far, and the nanoseconds of a timed call that waits for one of the other
  # side, negative for the candidate's, or 0.
  def new(functions), do: :atomics.new(2 * functions, signed: true)

  # Whether a call of this side, :control or :candidate, is timed. It is not compared.
  def timed?(now, number, side) do
    now.slower != nil and now.share == 0.5 and not now.by_input and InForce.shares?(now) and
      calls(now, number, side) > @warm_up and not (side == :candidate and InForce.chance?(now.shadow))
  end

  defp calls(now, number, :candidate), do: :atomics.add_get(now.pairs, 2 * number + 1, 1)
  defp calls(now, number, :control), do: :atomics.get(now.pairs, 2 * number + 1)

  # The answer of a side; how long it took is noted if it is a value.
  def time(board, now, number, side, answer) do
    began = :erlang.monotonic_time(:nanosecond)
    answer = answer.()
    took = :erlang.monotonic_time(:nanosecond) - began
    # The candidate's library marks its calls within them.
    signed = if side == :candidate, do: -max(took - Deaths.cost(), 1), else: max(took, 1)
    if match?({:ok, _}, answer), do: note(board, now, 2 * number + 2, signed)
    answer
  end

  defp note(board, now, place, took) do
    waiting = :atomics.get(now.pairs, place)
    is_pair = waiting * took < 0

    cond do
      :atomics.compare_exchange(now.pairs, place, waiting, if(is_pair, do: 0, else: took)) != :ok -> note(board, now, place, took)
      is_pair -> pair(board, now, -min(waiting, took), max(waiting, took))
      true -> :ok
    end
  end

  defp pair(board, now, candidate, control) do
    lead = (candidate - now.slower * control) / (candidate + now.slower * control)
    Board.count(board, :pairs)
    Board.count(board, if(lead > 0, do: :behind, else: :ahead), round(abs(lead) * 1.0e6))
    Board.count(board, :squares, round(lead * lead * 1.0e6))
    Board.count(board, :control_ns, min(control, @most_apart * candidate))
    Board.count(board, :candidate_ns, min(candidate, @most_apart * control))
  end
end

# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Taken do
  @moduledoc false
  # Calls that take part in a rollout: those that the candidate answers, those that are compared, and those that are timed.
  # All of this runs in the calling process. Nothing here raises.

  alias {{module}}.CallError
  alias {{module}}.CallTimeoutError
  alias {{module}}.PanicError
  alias {{module}}.Tierup.Limits
  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.Copies
  alias {{module}}.Tierup.Rollout.InForce
  alias {{module}}.Tierup.Rollout.Line
  alias {{module}}.Tierup.Rollout.Pairs
  alias {{module}}.Tierup.Rollout.Reader

  # `arguments` are encoded, for a call that is compared. `error` is the candidate's, or says why it would refuse the
  # arguments.
  defstruct [:board, :now, :tier, :function, :arguments, :error]

  # {:ok, value} if the candidate has answered; nil if only the control takes the call; otherwise a call whose answer by
  # the control has to be noted.
  def take(board, tier, %{pure: true} = function, arguments) do
    now = if Limits.now() <= Board.get(board, :fresh), do: InForce.get()

    if now != nil and now.candidate != tier do
      Board.count(board, :calls)
      call = %__MODULE__{board: board, now: now, tier: tier, function: function}

      harmless(board, fn ->
        cond do
          InForce.shares?(now, function, arguments) -> shared(call, arguments)
          now.shadow > 0 and InForce.chance?(now.shadow) -> sampled(call, arguments)
          Pairs.timed?(now, function.number, :control) -> call
          true -> nil
        end
      end)
    end
  end

  def take(_, _, _, _), do: nil

  # The control's answer. A call that is neither compared nor the candidate's is timed.
  def control(%{arguments: nil, error: nil} = call, control), do: Pairs.time(call.board, call.now, call.function.number, :control, control)
  def control(_, control), do: control.()

  # The control has answered.
  def answered(%{arguments: nil, error: nil}, _), do: :ok
  def answered(%{arguments: nil} = call, {:ok, _}), do: harmless(call.board, fn -> note_failure(call) end)
  def answered(%{arguments: nil} = call, _), do: forget(call)

  def answered(call, answer) do
    harmless(call.board, fn ->
      case Copies.answer(call.function, answer, call.tier) do
        {:ok, bytes} -> Line.send_call(call.board, call.function.number, call.arguments, bytes, call.now.keeps_values)
        :too_large -> Board.count(call.board, :too_large)
        nil -> forget(call)
      end
    end)
  end

  # The control has raised. An exit or a throw says nothing about the function.
  def failed(call, :error, reason, stack), do: answered(call, {:error, Exception.normalize(:error, reason, stack)})
  def failed(call, _, _, _), do: forget(call)

  defp shared(%{board: board, now: %{variant: {module, state}}} = call, arguments) do
    Board.count(board, :shared)

    ask = fn -> asked(module, state, call.function.number, arguments) end

    is_timed = Pairs.timed?(call.now, call.function.number, :candidate)

    case if(is_timed, do: Pairs.time(board, call.now, call.function.number, :candidate, ask), else: ask.()) do
      {:ok, _} = answer ->
        InForce.ended(call.now, 0)
        answer

      {:error, error} ->
        kind = kind(error)
        # A refusal counts only if the control takes the arguments.
        if kind != :refused, do: Board.count(board, kind)
        InForce.ended(call.now, if(kind in [:refused, :errors], do: 0, else: 1))
        %{call | error: {kind, error}}
    end
  end

  defp asked(module, state, number, arguments) do
    module.call(state, number, arguments)
  catch
    _, _ -> {:error, nil}
  end

  defp kind(%CallError{}), do: :errors
  defp kind(%PanicError{}), do: :panics
  defp kind(%CallTimeoutError{}), do: :timeouts
  defp kind(%ArgumentError{}), do: :refused
  defp kind(_), do: :lost

  defp sampled(%{board: board} = call, arguments) do
    Board.count(board, :sampled)

    case Copies.arguments(call.function, arguments) do
      {:ok, encoded} -> %{call | arguments: encoded}
      {:error, error} -> %{call | error: {:unfit, error}}
      :too_large -> Board.count(board, :too_large) && nil
    end
  end

  defp note_failure(%{board: board, error: {kind, error}} = call) do
    cond do
      kind == :errors ->
        Board.count(board, :erred)

      kind in [:refused, :unfit] ->
        Board.count(board, :refused)
        # The reason may contain values.
        words = if call.now.keeps_values, do: Copies.words(error), else: to_string(call.function.name)
        if Board.put(board, :refusal, 1) == 0, do: Reader.note_refusal(words)

      true ->
        :ok
    end
  end

  # Drops a sample that says nothing about the candidate: both sides refuse its arguments, or the control was lost.
  defp forget(%{arguments: nil, error: nil}), do: :ok
  defp forget(%{error: nil, board: board}), do: Board.count(board, :sampled, -1)
  defp forget(%{error: {:unfit, _}, board: board}), do: Board.count(board, :sampled, -1)
  defp forget(_), do: :ok

  # The function's value; nil if it raises, such as for a value that no type has.
  defp harmless(board, function) do
    function.()
  catch
    _, _ ->
      Board.count(board, :dropped)
      nil
  end
end

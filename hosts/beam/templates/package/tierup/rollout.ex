# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout do
  @moduledoc false
  # A rollout inside the process. TIERUP_ROLLOUT names a control file, which sets the share of calls that is compared with
  # a candidate (shadow), and the share that it answers (share). The control, i.e. the chosen tier, answers all other
  # calls, and all calls without a valid file. Only functions that tierup.toml declares pure take part.
  #
  # Callers decide by themselves and wait for no process. `Reader` reads the file once a second; `Line` sends calls to the
  # process that compares them. If either is killed, it starts again, and meanwhile the control answers.

  use Supervisor

  alias {{module}}.Tierup.Baseline
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.Line
  alias {{module}}.Tierup.Rollout.Reader
  alias {{module}}.Tierup.Rollout.Taken

  # How long `ready` waits for the file and for the process that compares, in milliseconds.
  @patience 5_000

  # Wraps the chosen tier as the control of a rollout, and ends the rollout of a tier that was chosen before. If there can
  # be none, prints why.
  def around(chosen, path) do
    if Process.whereis(__MODULE__), do: Supervisor.terminate_child({{module}}.Tierup.Supervisor, __MODULE__)
    if path == "", do: chosen, else: begin(chosen, path)
  end

  defp begin({tier, _, _} = chosen, path) do
    unless match?({:unix, _}, :os.type()), do: raise("it needs a system with Unix sockets")
    board = Board.new(path)
    # The package's other processes must not end with this one, however often it is killed.
    child = %{id: __MODULE__, start: {__MODULE__, :start_link, [board]}, type: :supervisor, restart: :temporary}
    :ok = {{module}}.Tierup.Application.ensure_child(child)
    {tier, __MODULE__, {chosen, board}}
  rescue
    error ->
      tell(" is not obeyed: #{Exception.message(error)}")
      chosen
  end

  def start_link(board), do: Supervisor.start_link(__MODULE__, board, name: __MODULE__)

  @impl true
  def init(board) do
    Supervisor.init([{Line, board}, {Reader, board}], strategy: :one_for_one, max_restarts: 100, max_seconds: 10)
  end

  def call({{_, variant, state} = chosen, board}, number, arguments) do
    answer(board, chosen, number, arguments, fn -> variant.call(state, number, arguments) end)
  end

  # The server's own function raises its error directly.
  def call!({{_, Baseline, functions} = chosen, board}, number, arguments) do
    {:ok, value} = answer(board, chosen, number, arguments, fn -> {:ok, Baseline.call!(functions, number, arguments)} end)
    value
  end

  def call!(state, number, arguments) do
    case call(state, number, arguments) do
      {:ok, value} -> value
      {:error, error} -> raise error
    end
  end

  # Also waits until the file is read and the process that compares is connected, but not for long.
  def ready({{_, variant, state}, _}) do
    with :ok <- variant.ready(state) do
      Enum.each([Reader, Line], &GenServer.call(&1, :ready, @patience))
    end
  catch
    :exit, _ -> :ok
  end

  # Prints a line on standard error, if somebody reads it.
  def tell(words) do
    IO.puts(:stderr, "#{Interface.package()}: TIERUP_ROLLOUT#{if String.valid?(words), do: words, else: inspect(words)}")
  rescue
    _ -> :ok
  end

  defp answer(board, {tier, _, _}, number, arguments, control) do
    case Taken.take(board, tier, Interface.function(number), arguments) do
      nil -> control.()
      {:ok, _} = answered -> answered
      taken -> answer_and_note(taken, control)
    end
  end

  defp answer_and_note(taken, control) do
    answer = Taken.control(taken, control)
    Taken.answered(taken, answer)
    answer
  catch
    kind, reason ->
      Taken.failed(taken, kind, reason, __STACKTRACE__)
      :erlang.raise(kind, reason, __STACKTRACE__)
  end
end

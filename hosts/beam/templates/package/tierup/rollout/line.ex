# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Line do
  @moduledoc false
  # Sends calls to a process that compares them with the candidate's answers. A companion starts that process: a program
  # that ends with this process's port to it. A call is handed over if few others wait, otherwise it is dropped.

  use GenServer

  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Limits
  alias {{module}}.Tierup.Process, as: Program
  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.Reader
  alias {{module}}.Tierup.Trial

  # Numbers of the protocol: see docs/byte-abi.md of tierup.
  @counts 0x7FFFFFFD
  @shadow 0x7FFFFFFE
  @keep 0x40000000

  # The most bytes that wait to be sent, where each call counts for @least at least.
  @most_waiting 1_048_576
  @least 4_096
  # How long the process that compares may take to read a frame, in milliseconds.
  @stuck 1_000
  # The pause before it connects again, in milliseconds. It doubles with each further failure.
  @pause 500
  @longest_pause 60_000
  # A bit more than the companion's longest pause between the starts of workers, in milliseconds.
  @between_starts 6_000

  # `companion` is {its program, the path of its socket}, or nil. `seen` has the last candidate and refusal, for the counts.
  defstruct [:board, :companion, :connection, :next, pause: @pause, seen: {nil, nil}]

  def start_link(board), do: GenServer.start_link(__MODULE__, board, name: __MODULE__, spawn_opt: [fullsweep_after: 20])

  # Once a second: connects, if calls are compared and there is no connection, and sends the counts.
  def turn(is_needed, candidate, refusal), do: GenServer.cast(__MODULE__, {:turn, is_needed, {candidate, refusal}})

  # Hands over a call, or drops it. Its values may be kept if the answers differ.
  def send_call(board, number, arguments, answer, may_be_kept) do
    number = if may_be_kept, do: Bitwise.bor(number, @keep), else: number
    frame = framed(number, [<<byte_size(arguments)::little-32>>, arguments, answer])
    cost = max(byte_size(frame), @least)

    cond do
      Board.get(board, :connected) == 0 -> Board.count(board, :dropped)
      Board.add(board, :waiting, cost) <= @most_waiting -> GenServer.cast(__MODULE__, {:send, frame, cost})
      true -> Board.add(board, :waiting, -cost) && Board.count(board, :dropped)
    end
  end

  @impl true
  def init(board) do
    # This makes `terminate` be called.
    Process.flag(:trap_exit, true)
    Board.put(board, :connected, 0)
    Board.put(board, :waiting, 0)
    {:ok, %__MODULE__{board: board, next: Limits.now()}}
  end

  @impl true
  def handle_call(:ready, _, line), do: {:reply, :ok, line}

  @impl true
  def handle_cast({:send, frame, cost}, line) do
    Board.add(line.board, :waiting, -cost)
    line = write(line, frame)
    if line.connection == nil, do: Board.count(line.board, :dropped)
    {:noreply, line}
  end

  def handle_cast({:turn, is_needed, seen}, line) do
    line = if is_needed and line.connection == nil and Limits.now() >= line.next, do: connect(line), else: line
    {:noreply, write_counts(%{line | seen: seen})}
  end

  # The companion's workers outlive it.
  @impl true
  def handle_info({port, {:exit_status, _}}, %{companion: {%{port: port}, _}} = line), do: {:noreply, without_companion(line)}
  def handle_info(_, line), do: {:noreply, line}

  # Waits for nobody: the process that compares goes on for some seconds without us.
  @impl true
  def terminate(_, line), do: line |> write_rest() |> write_counts() |> lost() |> without_companion()

  defp write_rest(line) do
    receive do
      {:"$gen_cast", {:send, frame, _}} -> line |> write(frame) |> write_rest()
    after
      0 -> line
    end
  end

  defp write_counts(%{seen: {candidate, refusal}} = line), do: write(line, framed(@counts, Board.json(line.board, candidate, refusal)))

  defp write(%{connection: nil} = line, _), do: line

  defp write(line, frame) do
    case :gen_tcp.send(line.connection, frame) do
      :ok -> line
      # It may have a part of the frame.
      {:error, _} -> lost(line)
    end
  end

  defp lost(%{connection: nil} = line), do: line

  defp lost(line) do
    Board.put(line.board, :connected, 0)
    :gen_tcp.close(line.connection)
    %{line | connection: nil}
  end

  defp without_companion(%{companion: nil} = line), do: line

  defp without_companion(%{companion: {program, _}} = line) do
    Program.close(program)
    %{line | companion: nil}
  end

  defp connect(line) do
    line = %{line | next: Limits.now() + line.pause, pause: min(2 * line.pause, @longest_pause)}
    limits = Limits.read()

    with {:ok, path} <- Trial.program("1:pool"),
         {:ok, line} <- with_companion(line, path, limits),
         {:ok, connection} <- greeted(elem(line.companion, 1), path, limits, line.board.folder) do
      Board.put(line.board, :connected, 1)
      %{line | connection: connection, pause: @pause}
    else
      {:error, words} ->
        Reader.say(words)
        without_companion(line)
    end
  rescue
    # A limit in the environment is wrong.
    error in ArgumentError ->
      Reader.say(error.message)
      line
  end

  defp with_companion(%{companion: nil} = line, path, limits) do
    with {:ok, program} <- Program.start(path, "--tierup-companion"),
         {:ok, socket} <- said(program, path, limits, Limits.now() + round(1000 * limits.start), "") do
      {:ok, %{line | companion: {program, socket}}}
    else
      {:error, words} -> {:error, "#{path}: #{words}"}
    end
  end

  defp with_companion(line, _, _), do: {:ok, line}

  # The path of the socket, which the companion writes once it listens.
  defp said(%{port: port} = program, path, limits, deadline, begin) do
    receive do
      {^port, {:data, data}} ->
        line = begin <> data
        if String.ends_with?(line, "\n"), do: {:ok, String.trim_trailing(line, "\n")}, else: said(program, path, limits, deadline, line)

      {^port, {:exit_status, status}} ->
        Program.close(program)
        {:error, Program.ending(path, status)}
    after
      max(0, deadline - Limits.now()) ->
        Program.kill(program)
        {:error, Limits.started_too_late(limits, path).message}
    end
  end

  # A connection whose other end compares.
  defp greeted(socket, path, limits, folder) do
    # A full connection closes itself.
    options = [:binary, active: false, send_timeout: @stuck, send_timeout_close: true]
    patience = round(2000 * limits.start) + @between_starts

    with {:ok, connection} <- :gen_tcp.connect({:local, socket}, 0, options, @stuck) do
      case ask(connection, folder, patience) do
        :ok ->
          {:ok, connection}

        words ->
          :gen_tcp.close(connection)
          {:error, words || "#{path} ended before it answered: standard error says why"}
      end
    else
      {:error, reason} -> {:error, "#{socket}: #{:inet.format_error(reason)}"}
    end
  end

  # Asks the worker to become a shadow. Returns :ok, or why it does not; nil if it has ended.
  defp ask(connection, folder, patience) do
    own = Interface.abi() |> String.to_integer(16)

    with {:ok, <<^own::little-64>>} <- :gen_tcp.recv(connection, 8, patience),
         :ok <- :gen_tcp.send(connection, framed(@shadow, folder)),
         {:ok, <<0::32>>} <- :gen_tcp.recv(connection, 4, patience) do
      :ok
    else
      {:ok, <<0::64>>} -> reason(connection, "")
      {:ok, <<_::64>>} -> "the program that compares was built for another interface: run `tierup build`"
      {:ok, _} -> "the program that compares knows nothing of rollouts: run `tierup build`"
      {:error, _} -> nil
    end
  end

  # Why the companion could start no worker.
  defp reason(connection, begin) do
    case :gen_tcp.recv(connection, 0, @stuck) do
      {:ok, more} -> reason(connection, begin <> more)
      {:error, _} -> begin
    end
  end

  # A request: its length, a number, and the content.
  defp framed(number, content), do: IO.iodata_to_binary([<<4 + IO.iodata_length(content)::little-32, number::little-32>>, content])
end

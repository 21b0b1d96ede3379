# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Process do
  @moduledoc false
  # A process of the built program behind a port: the bytes that it has written, and how to end it.
  #
  # When the program has started, it writes 8 bytes, the hash of its interface, and then answers frames in their order.
  # It exits when its standard input ends, and, on Linux, with the BEAM.

  alias {{module}}.Tierup.Interface

  # `doing`: {:starting, number of the start, timer}, :idle, or {:busy, id of the call}.
  defstruct [:port, :os_pid, :doing, parts: [], size: 0]

  # Starts the program, which writes to the standard error of the BEAM.
  def start(path, role \\ "--tierup-worker") do
    options = [:binary, :exit_status, :use_stdio, args: [role, Interface.abi()]]
    {:ok, of(Port.open({:spawn_executable, path}, options))}
  rescue
    error -> {:error, Exception.message(error)}
  end

  def of(port) do
    {:os_pid, os_pid} = Port.info(port, :os_pid) || {:os_pid, nil}
    %__MODULE__{port: port, os_pid: os_pid}
  end

  # Sends a call. Only one is sent at a time, so this never waits for the program to read.
  def ask(process, number, arguments) do
    Port.command(process.port, [<<4 + byte_size(arguments)::little-32, number::little-32>>, arguments])
    :ok
  rescue
    # The port is closed. The message about its end is on its way to its owner.
    ArgumentError -> :closed
  end

  # Adds the bytes that it has written. Returns {:answer, bytes, process} when they are a whole frame.
  def received(%{size: 0} = process, <<length::little-32, answer::binary-size(length)>>), do: {:answer, answer, process}

  def received(process, data) do
    process = %{process | parts: [data | process.parts], size: process.size + byte_size(data)}

    with true <- process.size >= 4, <<length::little-32, _::binary>> <- head(process) do
      cond do
        process.size < 4 + length -> {:more, process}
        process.size > 4 + length -> :too_much
        true -> {:answer, binary_part(all(process), 4, length), empty(process)}
      end
    else
      _ -> {:more, process}
    end
  end

  # Checks the first bytes of the program.
  def hello(process, data) do
    process = %{process | parts: [data | process.parts], size: process.size + byte_size(data)}

    case all(process) do
      <<abi::little-64>> ->
        found = abi |> Integer.to_string(16) |> String.downcase() |> String.pad_leading(16, "0")
        if found == Interface.abi(), do: {:started, empty(process)}, else: :other_interface

      short when byte_size(short) < 8 ->
        {:more, process}

      _ ->
        :too_much
    end
  end

  # The first part, if it contains the length; so the other parts are joined only once.
  defp head(process) do
    case List.last(process.parts) do
      <<_::32, _::binary>> = first -> first
      _ -> all(process)
    end
  end

  defp all(process), do: process.parts |> Enum.reverse() |> IO.iodata_to_binary()
  defp empty(process), do: %{process | parts: [], size: 0}

  # Lets the program exit by closing its standard input.
  def close(process) do
    Port.close(process.port)
  rescue
    ArgumentError -> true
  end

  # After this time, another attempt is made to kill a program, in milliseconds.
  @again 1_000

  # Kills the program through a shell, as the BEAM cannot send signals. No other process has its id, as its end has not
  # been reported yet.
  #
  # Without file descriptors for a shell, the port stays open, and the owner gets {:kill, process} later.
  def kill(process) do
    if process.os_pid != nil and Port.info(process.port) != nil do
      Port.open({:spawn_executable, "/bin/sh"}, [:binary, :stderr_to_stdout, args: ["-c", "kill -KILL #{process.os_pid}"]])
    end

    close(process)
  rescue
    _ -> Process.send_after(self(), {:kill, process}, @again)
  end

  # How the program exited, in words.
  def ending(path, status) when status > 128, do: "#{path} was ended by signal #{status - 128}"
  def ending(path, status), do: "#{path} ended with exit code #{status}: standard error has its last words"
end

# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Process do
  @moduledoc false
  # One process of the built program, behind a port: the bytes that it has written, and how it is ended.
  #
  # It writes 8 bytes when it has started, the hash of its interface, and then answers frames in their order. It ends when
  # its standard input does, and, on Linux, with the BEAM.

  alias {{module}}.Tierup.Interface

  # `doing`: {:starting, number of the start, timer}, :idle, or {:busy, id of the call}.
  defstruct [:port, :os_pid, :doing, parts: [], size: 0]

  # Starts the program. Its standard error is that of the BEAM.
  def start(path) do
    options = [:binary, :exit_status, :use_stdio, args: ["--tierup-worker", Interface.abi()]]
    port = Port.open({:spawn_executable, path}, options)
    {:os_pid, os_pid} = Port.info(port, :os_pid) || {:os_pid, nil}
    {:ok, %__MODULE__{port: port, os_pid: os_pid}}
  rescue
    error -> {:error, Exception.message(error)}
  end

  # Sends a call. Only one is sent at a time, so this never waits for the program to read.
  def ask(process, number, arguments) do
    Port.command(process.port, [<<4 + byte_size(arguments)::little-32, number::little-32>>, arguments])
    :ok
  rescue
    # The port was closed: its end is on its way to its owner.
    ArgumentError -> :closed
  end

  # Adds what it has written. {:answer, bytes, process} once that is a whole frame.
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

  # Whether what it has written is what it says when it has started.
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

  # The first part that has the length, so that the others are put together only once.
  defp head(process) do
    case List.last(process.parts) do
      <<_::32, _::binary>> = first -> first
      _ -> all(process)
    end
  end

  defp all(process), do: process.parts |> Enum.reverse() |> IO.iodata_to_binary()
  defp empty(process), do: %{process | parts: [], size: 0}

  # Lets it end: it reads the end of its standard input.
  def close(process) do
    Port.close(process.port)
  rescue
    ArgumentError -> true
  end

  # How long to wait before it is tried again to end one, in milliseconds.
  @again 1_000

  # Ends it at once. The BEAM cannot send signals itself. Its number belongs to no other process: its end has not been
  # reported yet.
  #
  # Where the BEAM has no file descriptors left for a shell, its port stays open, and the owner gets {:kill, process} later.
  def kill(process) do
    if process.os_pid != nil and Port.info(process.port) != nil do
      Port.open({:spawn_executable, "/bin/sh"}, [:binary, :stderr_to_stdout, args: ["-c", "kill -KILL #{process.os_pid}"]])
    end

    close(process)
  rescue
    _ -> Process.send_after(self(), {:kill, process}, @again)
  end

  # How it ended, in words.
  def ending(path, status) when status > 128, do: "#{path} was ended by signal #{status - 128}"
  def ending(path, status), do: "#{path} ended with exit code #{status}: standard error has its last words"
end

# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Trial do
  @moduledoc false
  # The program of tier 1. Of several, the first that starts here.

  alias {{module}}.Tierup.Built
  alias {{module}}.Tierup.Process, as: Program

  # How long a program may take to say its version, in milliseconds. The server waits for it when it starts.
  @patience 10_000

  # {:ok, path} of the program, or {:error, words}.
  def program(variant) do
    several? = length(Built.files(variant)) > 1
    Built.first(variant, &if(executable?(&1), do: starts(&1, several?), else: {:error, "cannot be executed: #{Built.remedy(variant)}"}))
  end

  defp executable?(path) do
    case File.stat(path) do
      {:ok, %{type: :regular, mode: mode}} -> Bitwise.band(mode, 0o111) != 0
      _ -> false
    end
  end

  defp starts(_, false), do: :ok

  # By a shell, as a port whose program does not start ends the process that opened it. In a process of its own, as a
  # caller that traps exits would be told of the port's.
  defp starts(path, true) do
    {_, monitor} = spawn_monitor(fn -> exit({:tried, tried(path)}) end)

    receive do
      {:DOWN, ^monitor, :process, _, {:tried, found}} -> found
      {:DOWN, ^monitor, :process, _, reason} -> {:error, "cannot be tried: #{inspect(reason)}"}
    end
  end

  defp tried(path) do
    words = ["-c", "exec \"$0\" --version", path]
    port = Port.open({:spawn_executable, "/bin/sh"}, [:binary, :exit_status, :stderr_to_stdout, args: words])
    Process.send_after(self(), :late, @patience)
    said(port, "")
  rescue
    error -> {:error, "cannot be tried: #{Exception.message(error)}"}
  end

  defp said(port, said) do
    receive do
      {^port, {:data, data}} ->
        said(port, said <> data)

      {^port, {:exit_status, 0}} ->
        :ok

      {^port, {:exit_status, status}} ->
        {:error, "does not start (#{status}): #{String.trim(said)}"}

      :late ->
        Program.kill(Program.of(port))
        {:error, "did not say its version within #{div(@patience, 1000)} s"}
    end
  end
end

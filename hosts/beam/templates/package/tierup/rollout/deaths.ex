# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Deaths do
  @moduledoc false
  # Deaths of nodes in a call of a rollout's candidate. A library that overflows its stack ends the BEAM, which can then
  # report nothing. So each BEAM has a file that says whether it is in such a call. A new one finds the files of those
  # that have ended.

  alias {{module}}.Tierup.Nif
  alias {{module}}.Tierup.Rollout.Board

  # Begins the file for a candidate's name and generation, unless enough BEAMs have died in its calls. Returns how many
  # have. Raises if that is unknown, or if a death would go unnoticed.
  def watch(folder, name, most) do
    if File.mkdir(folder) == :ok, do: File.chmod!(folder, 0o700)
    own = own()
    count = folder |> File.ls!() |> Enum.count(&(Path.join(folder, &1) != own and death?(folder, &1, name)))
    if count < most, do: begin(folder, name)
    count
  end

  # The path of this BEAM's file, or nil. It outlives the process that reads the control file, as calls do.
  def own, do: elem(current(), 0)
  # The name for which it was begun.
  def name, do: elem(current(), 1)
  # How long the library takes to mark a call, in nanoseconds.
  def cost, do: elem(current(), 2)

  # Removes the file. Calls may outlive it.
  def leave do
    if own() do
      Nif.mark(nil, "")
      File.rm(own())
      :persistent_term.erase(__MODULE__)
    end
  end

  defp current, do: :persistent_term.get(__MODULE__, {nil, nil, 0})

  defp begin(folder, name) do
    leave()
    now = System.os_time(:nanosecond)
    path = Path.join(folder, "#{System.pid()}-#{div(now, 1_000_000)}-0x#{Integer.to_string(now, 16)}-#{Board.machine()}.call")
    # The library also writes the mark, as its calls must not wait for a process.
    case Nif.mark(path, "0 #{name}\n") do
      cost when is_integer(cost) -> :persistent_term.put(__MODULE__, {path, name, cost})
      reason -> raise reason
    end
  rescue
    error in ErlangError ->
      if error.original == :not_loaded, do: raise("3:native was built by an older tierup: run `tierup build`"), else: reraise(error, __STACKTRACE__)
  end

  defp death?(folder, file, name) do
    path = Path.join(folder, file)

    case Path.extname(file) do
      ".call" -> died?(path, name)
      ".died" -> ours?(File.read(path), name)
      _ -> false
    end
  end

  # Whether a file shows that a BEAM died in a call. Of several ones that look, only one reports it.
  defp died?(path, name) do
    with [pid, _, _, machine] <- path |> Path.basename(".call") |> String.split("-", parts: 4),
         true <- machine == Board.machine() and not lives?(pid),
         {:ok, text} <- File.read(path) do
      if String.starts_with?(text, "1"),
        do: File.rename(path, Path.rootname(path) <> ".died") == :ok and ours?({:ok, text}, name),
        else: File.rm(path) && false
    else
      _ -> false
    end
  end

  defp ours?({:ok, text}, name), do: String.ends_with?(text, " #{name}\n")
  defp ours?(_, _), do: false

  # Whether another process of this machine lives. Our own number was another's, as our own file is left out.
  defp lives?(pid) do
    cond do
      pid == System.pid() -> false
      File.dir?("/proc/self") -> File.dir?("/proc/#{pid}")
      true -> match?({_, 0}, System.cmd("ps", ["-p", pid]))
    end
  end
end

defmodule SandboxTest do
  @moduledoc "What ends the BEAM at `3:native`, or one of its schedulers for ever, is an error at `2:core`."
  use ExUnit.Case

  # Runs a script in another BEAM: it reads the limits from its environment, and may crash.
  defp run(tier, script, variables) do
    libraries = Path.wildcard("_build/#{Mix.env()}/lib/*/ebin") |> Enum.flat_map(&["-pa", &1])
    environment = Map.to_list(Map.merge(%{"TIERUP_TIER" => tier, "ERL_CRASH_DUMP_BYTES" => "0"}, variables))
    # A crash writes no core file.
    arguments = ["-c", "ulimit -c 0; exec elixir \"$@\"", "sh"] ++ libraries ++ ["-e", script]
    System.cmd("sh", arguments, env: environment, stderr_to_stdout: true)
  end

  test "a stack that overflows is an error, in many processes at a time, and the next call is unharmed" do
    script = """
    overflow = fn -> {:error, %Conformance.PanicError{message: message}} = Conformance.hang_on("deeply"); message end
    for message <- Task.await_many(for(_ <- 1..20, do: Task.async(overflow)), 120_000), do: true = message =~ "stack overflows"
    "unharmed" = Conformance.echo_text!("unharmed")
    IO.puts("as before")
    """

    assert {"as before\n", 0} = run("2:core", script, %{})
  end

  test "at 3:native, it ends the BEAM" do
    {said, status} = run("3:native", ~s[Conformance.hang_on("deeply"); IO.puts("as before")], %{})
    assert status > 128, said
    refute said =~ "as before"
  end

  test "a call that does not return is ended by TIERUP_CALL_TIMEOUT, and gives its scheduler back" do
    script = """
    hang = fn -> {:error, %Conformance.CallTimeoutError{message: message}} = Conformance.hang_on("really"); message end
    # There are more calls than dirty schedulers.
    messages = Task.await_many(for(_ <- 1..(2 * System.schedulers_online() + 1), do: Task.async(hang)), 120_000)
    true = Enum.all?(messages, &(&1 =~ "took longer than 1 s (TIERUP_CALL_TIMEOUT)"))
    2 = Conformance.hang_on!("no")
    IO.puts("as before")
    """

    assert {"as before\n", 0} = run("2:core", script, %{"TIERUP_CALL_TIMEOUT" => "1"})
  end
end

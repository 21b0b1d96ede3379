defmodule ProgramsTest do
  @moduledoc "The BEAM's own pool. What all languages promise is in `crates/tierup/tests/conformance/limits.rs` and `starts.rs` beside it."
  use ExUnit.Case

  @pool Conformance.Tierup.Pool.Workers

  # Stops the pools, so that the next ones read the limits.
  defp bound(tier, variables) do
    stop_pools()
    System.put_env(variables)
    Conformance.bind(tier: tier)
    :ok = Conformance.ready()
  after
    for {name, _} <- variables, do: System.delete_env(name)
  end

  defp stop_pools do
    for {id, _, _, _} <- Supervisor.which_children(Conformance.Tierup.Supervisor), id != Conformance.Tierup.Free do
      Supervisor.terminate_child(Conformance.Tierup.Supervisor, id)
      Supervisor.delete_child(Conformance.Tierup.Supervisor, id)
    end
  end

  setup do
    on_exit(fn ->
      stop_pools()
      Conformance.bind(tier: "3:native")
    end)
  end

  defp processes, do: for({_, program} <- :sys.get_state(@pool).programs, do: program.os_pid)

  # Whether a process lives. It may end at any time, even while its file is read.
  defp alive?(os_pid) do
    case File.read("/proc/#{os_pid}/stat") do
      {:ok, stat} -> not (stat =~ ~r/\) Z /)
      {:error, _} -> false
    end
  end

  defp eventually(condition, tries \\ 3_000) do
    cond do
      condition.() -> :ok
      tries == 0 -> flunk("it did not happen")
      true -> Process.sleep(20) && eventually(condition, tries - 1)
    end
  end

  test "a call whose caller is killed gives its worker up" do
    bound("1:pool", %{"TIERUP_WORKERS" => "1"})
    [os_pid] = processes()
    caller = spawn(fn -> Conformance.hang_on("really") end)
    eventually(fn -> match?([%{doing: {:busy, _}}], Map.values(:sys.get_state(@pool).programs)) end)
    Process.exit(caller, :kill)
    eventually(fn -> not alive?(os_pid) end)
    assert Conformance.hang_on!("no") == 2
    assert %{unanswered: calls, callers: callers} = :sys.get_state(@pool).calls
    assert {calls, callers} == {%{}, %{}}
  end

  test "a worker that is killed while idle costs no call, one that is killed in a call costs that one" do
    bound("1:pool", %{"TIERUP_WORKERS" => "2"})

    for os_pid <- processes() do
      System.cmd("kill", ["-KILL", "#{os_pid}"])
      eventually(fn -> os_pid not in processes() end)
    end

    assert Conformance.func!(1) == 1
    call = Task.async(fn -> Conformance.hang_on("really") end)
    busy = fn -> for {_, %{doing: {:busy, _}} = program} <- :sys.get_state(@pool).programs, do: program.os_pid end
    eventually(fn -> busy.() != [] end)
    [os_pid] = busy.()
    System.cmd("kill", ["-KILL", "#{os_pid}"])
    assert {:error, %Conformance.TransportError{message: message}} = Task.await(call, 60_000)
    assert message =~ "was ended by signal 9"
    assert Conformance.func!(2) == 2
  end

  test "without file descriptors a call still ends in time, and its program as soon as one is free" do
    libraries = Path.wildcard("_build/#{Mix.env()}/lib/*/ebin") |> Enum.flat_map(&["-pa", &1])

    script = """
    :ok = Conformance.ready()
    # The BEAM reads a module's file when it first uses the module.
    for application <- [:conformance, :logger, :elixir, :kernel, :stdlib] do
      {:ok, modules} = :application.get_key(application, :modules)
      :code.ensure_modules_loaded(modules)
    end
    pool = Process.whereis(Conformance.Tierup.Pool.Workers)
    [%{os_pid: os_pid}] = Map.values(:sys.get_state(pool).programs)
    open = fn open, files ->
      case :file.open("/dev/null", [:read, :raw]) do
        {:ok, file} -> open.(open, [file | files])
        {:error, :emfile} -> files
      end
    end
    call = Task.async(fn -> Conformance.hang_on("really") end)
    files = open.(open, [])
    {:error, %Conformance.CallTimeoutError{}} = Task.await(call, 60_000)
    ^pool = Process.whereis(Conformance.Tierup.Pool.Workers)
    for file <- files, do: :file.close(file)
    ended = fn ended, tries ->
      if tries > 0 and File.exists?("/proc/\#{os_pid}"), do: Process.sleep(20) && ended.(ended, tries - 1)
    end
    ended.(ended, 1_500)
    false = File.exists?("/proc/\#{os_pid}")
    2 = Conformance.hang_on!("no")
    IO.puts("as before")
    """

    environment = [{"TIERUP_TIER", "1:pool"}, {"TIERUP_WORKERS", "1"}, {"TIERUP_CALL_TIMEOUT", "3"}]
    arguments = ["-c", "ulimit -n 64; exec elixir \"$@\"", "sh"] ++ libraries ++ ["-e", script]
    assert {"as before\n", 0} = System.cmd("sh", arguments, env: environment, stderr_to_stdout: true)
  end

  test "the supervisor restarts a pool, whose programs end with it" do
    bound("1:pool", %{"TIERUP_WORKERS" => "2"})
    all = processes()
    pool = Process.whereis(@pool)
    Process.exit(pool, :kill)
    eventually(fn -> Process.whereis(@pool) not in [nil, pool] end)
    eventually(fn -> Conformance.func(3) == {:ok, 3} end)
    eventually(fn -> not Enum.any?(all, &alive?/1) end)
  end

  test "a program that does not start is an error of the calls that wait for it" do
    bound("1:pool", %{"TIERUP_WORKERS" => "1"})
    state = :sys.get_state(@pool)
    [os_pid] = processes()

    for {script, limit, words} <- [
          {"exit 3", 30, "ended with exit code 3"},
          {"printf 12345678; exec sleep 60", 30, "was built for another interface"},
          {"exec sleep 60", 0.2, "did not start within 0.2 s (TIERUP_START_TIMEOUT)"}
        ] do
      file = Path.join(System.tmp_dir!(), "tierup-beam-#{System.unique_integer([:positive])}")
      File.write!(file, "#!/bin/sh\n#{script}\n")
      File.chmod!(file, 0o755)
      for pid <- processes(), do: System.cmd("kill", ["-KILL", "#{pid}"])
      :sys.replace_state(@pool, &%{&1 | path: file, limits: %{&1.limits | start: limit}})
      eventually(fn -> processes() == [] end)
      assert {:error, %Conformance.TransportError{message: message}} = Conformance.func(1)
      assert message =~ words
      File.rm!(file)
    end

    :sys.replace_state(@pool, &%{&1 | path: state.path, limits: state.limits})
    eventually(fn -> Conformance.func(1) == {:ok, 1} end)
    assert processes() != [os_pid]
  end
end

defmodule MetricsTest do
  @moduledoc "`metrics()`: what runs and why, and how many calls have failed."
  use ExUnit.Case

  alias ConformanceServer.Own

  @pool Conformance.Tierup.Pool.Workers

  setup do
    on_exit(fn ->
      stop_pool()
      Conformance.bind(tier: "3:native")
    end)
  end

  defp stop_pool do
    Supervisor.terminate_child(Conformance.Tierup.Supervisor, @pool)
    Supervisor.delete_child(Conformance.Tierup.Supervisor, @pool)
  end

  defp with_environment(variables, function) do
    System.put_env(variables)
    function.()
  after
    for {name, _} <- variables, do: System.delete_env(name)
  end

  # Stops the pool, so that the next one reads the limits.
  defp bound(variables) do
    stop_pool()
    with_environment(variables, fn -> Conformance.bind(tier: "1:pool") end)
    :ok = Conformance.ready()
  end

  defp counts do
    metrics = Conformance.metrics()
    for name <- [:calls, :errors, :panics, :timeouts, :lost], do: metrics[name]
  end

  for tier <- ["1:pool", "2:core", "3:native"] do
    test "#{tier}: calls and failures are counted from `bind` on" do
      for _ <- 1..2 do
        Conformance.bind(tier: unquote(tier))
        assert counts() == [0, 0, 0, 0, 0]
        assert Conformance.echo_text("a") == {:ok, "a"}
        for _ <- 1..2, do: assert(Conformance.echo_text!("a") == "a")
        assert {:error, %Conformance.CallError{}} = Conformance.fail("no")
        assert_raise Conformance.PanicError, fn -> Conformance.panic_with!("no") end
        assert {:error, %ArgumentError{}} = Conformance.echo_text(:not_text)
        assert counts() == [6, 1, 1, 0, 0]
      end

      assert %{package: "conformance", tier: unquote(tier), asked: unquote(tier), instead: "", abi: abi} = Conformance.metrics()
      assert abi =~ ~r/\A[0-9a-f]{16}\z/
    end
  end

  test "at tier 0, whatever the server's own code raises is an error of its own" do
    Conformance.bind(tier: "0", baseline: Own)
    for _ <- 1..3, do: assert(Conformance.echo_text!("a") == "a")
    assert {:error, %RuntimeError{}} = Conformance.fail("no")
    error = catch_error(Conformance.fail!("no"))
    assert error == %RuntimeError{message: "no"}
    assert {:error, %Conformance.CallError{}} = Conformance.parse_number("a")
    # The baseline lacks this function.
    assert {:error, %Conformance.Unavailable{}} = Conformance.echo_bool(true)
    assert counts() == [7, 3, 0, 0, 0]
    assert %{tier: "0", asked: "0", instead: ""} = Conformance.metrics()
  end

  test "what was asked for, and why something else runs" do
    with_environment(%{"TIERUP_TIER" => "1", "TIERUP_FALLBACK" => "1"}, fn ->
      Conformance.bind()
      assert %{tier: "1:pool", asked: "1", instead: ""} = Conformance.metrics()
      said = ExUnit.CaptureIO.capture_io(:stderr, fn -> Conformance.bind(tier: "2:component") end)
      assert %{tier: "3:native", asked: "2:component", instead: instead} = Conformance.metrics()
      assert instead =~ "use 2:core"
      assert said == "#{instead}; falling back to tier 3:native\n"
    end)

    Conformance.bind()
    assert %{tier: "3:native", asked: "", instead: ""} = Conformance.metrics()
  end

  test "time-outs are told from calls that were lost with their program" do
    bound(%{"TIERUP_WORKERS" => "1", "TIERUP_CALL_TIMEOUT" => "3"})
    assert {:error, %Conformance.CallTimeoutError{}} = Conformance.hang_on("really")
    assert counts() == [1, 0, 0, 1, 0]
    bound(%{"TIERUP_WORKERS" => "1"})
    [%{os_pid: os_pid}] = Map.values(:sys.get_state(@pool).programs)
    call = Task.async(fn -> Conformance.hang_on("really") end)
    eventually(fn -> match?([%{doing: {:busy, _}}], Map.values(:sys.get_state(@pool).programs)) end)
    System.cmd("kill", ["-KILL", "#{os_pid}"])
    assert {:error, %Conformance.TransportError{}} = Task.await(call, 60_000)
    assert counts() == [1, 0, 0, 0, 1]
  end

  defp eventually(condition, tries \\ 3_000) do
    cond do
      condition.() -> :ok
      tries == 0 -> flunk("it did not happen")
      true -> Process.sleep(20) && eventually(condition, tries - 1)
    end
  end

  test "calls of many processes add up" do
    Conformance.bind(tier: "3:native")
    calls = fn -> for number <- 1..2_000, do: if(rem(number, 10) == 0, do: Conformance.fail("no"), else: Conformance.echo_text("a")) end
    Task.await_many(for(_ <- 1..8, do: Task.async(calls)), 120_000)
    assert counts() == [16_000, 1_600, 0, 0, 0]
  end
end

defmodule MetricsTest do
  @moduledoc "`metrics()` as Elixir sees it. What all languages promise is in `crates/tierup/tests/conformance/metrics.rs`."
  use ExUnit.Case

  alias ConformanceServer.Own

  setup do
    on_exit(fn -> Conformance.bind(tier: "3:native") end)
  end

  defp with_environment(variables, function) do
    System.put_env(variables)
    function.()
  after
    for {name, _} <- variables, do: System.delete_env(name)
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
end

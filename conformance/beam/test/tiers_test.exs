defmodule TiersTest do
  @moduledoc "Which tier runs, and the server's own functions."
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

  test "baselines are called as they are" do
    Conformance.bind(tier: "0", baseline: Own)
    assert Conformance.tier() == "0"
    assert Conformance.echo_text("x") == {:ok, "x"}
    assert Conformance.echo_u64!(7) == 7
    # The baseline is called with any argument, even of a type that Rust would refuse.
    assert Conformance.echo_text!(:atom) == :atom
    assert Conformance.fail("no") == {:error, %RuntimeError{message: "no"}}
    assert_raise RuntimeError, "no", fn -> Conformance.fail!("no") end
    assert Conformance.parse_number("a") == {:error, %Conformance.CallError{message: "cannot parse a"}}
    assert {:error, %Conformance.Unavailable{message: message}} = Conformance.echo_bool(true)
    assert message =~ "baseline has no function echo_bool/1"
  end

  test "a baseline can be a map of functions, and has a label" do
    baselines = %{"text" => %{echo_text: fn text -> "own " <> text end}}
    assert Conformance.bind(tier: "0:text", baselines: baselines) == "0:text"
    assert Conformance.echo_text!("x") == "own x"
    assert_raise ArgumentError, ~r/tier 0 needs the function/, fn -> Conformance.bind(tier: "0", baselines: baselines) end
    assert_raise ArgumentError, ~r/is not free, memo or workers/, fn -> Conformance.bind(baselines: %{"memo" => Own}) end
    assert_raise ArgumentError, ~r/functions of these names/, fn -> Conformance.bind(baseline: Atom) end
    # The failed calls of `bind` change nothing.
    assert Conformance.tier() == "0:text"
  end

  test "0:free replays what the baseline answered" do
    {:ok, counter} = Agent.start_link(fn -> 0 end)
    counted = fn text -> Agent.get_and_update(counter, &{"#{text} #{&1}", &1 + 1}) end
    Conformance.bind(tier: "0:free", baseline: %{echo_text: counted})
    text = "free #{System.unique_integer()}"
    first = Conformance.echo_text!(text)
    # Another process writes the record: this waits until it has.
    :sys.get_state(Conformance.Tierup.Free)
    assert for(_ <- 1..10, do: Conformance.echo_text!(text)) == List.duplicate(first, 10)
    assert Agent.get(counter, & &1) == 1
  end

  test "TIERUP_TIER decides, and what cannot run says why" do
    with_environment(%{"TIERUP_TIER" => "1"}, fn -> assert Conformance.bind() == "1:pool" end)
    with_environment(%{"TIERUP_TIER" => "3"}, fn -> assert Conformance.bind() == "3:native" end)
    assert Conformance.bind(baseline: Own) == "3:native"
    unavailable = fn tier -> catch_error(Conformance.bind(tier: tier)) |> Exception.message() end
    assert unavailable.("2:bindgen") =~ "use 2:core"
    assert unavailable.("3:async") =~ "use 3:native"
    assert unavailable.("0:workers") =~ "processes already run on all processors"
    assert unavailable.("4") =~ "tierup serve --tier 4"
    assert unavailable.("5") =~ "5 is not a tier"
    assert_raise ArgumentError, ~r/bind takes/, fn -> Conformance.bind(teir: "0") end
  end

  test "falling back is asked for, and told" do
    with_environment(%{"TIERUP_FALLBACK" => "1"}, fn ->
      said = ExUnit.CaptureIO.capture_io(:stderr, fn -> assert Conformance.bind(tier: "2:component") == "3:native" end)
      assert said =~ "falling back to tier 3:native"
    end)
  end

  test "there is no golden call in this project" do
    assert {:error, %Conformance.HealthError{message: message}} = Conformance.check_health()
    assert message =~ "give it a [health]"
  end
end

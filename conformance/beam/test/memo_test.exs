defmodule MemoTest do
  @moduledoc "`0:memo` as Elixir sees it. What all languages promise is in `crates/tierup/tests/conformance/memo.rs`."
  use ExUnit.Case

  alias Conformance.Tierup.Kept

  setup do
    on_exit(fn ->
      for variable <- ["TIERUP_MEMO_ENTRIES", "TIERUP_MEMO_BYTES"], do: System.delete_env(variable)
      stop()
      Conformance.bind(tier: "3:native")
    end)
  end

  # Stops the cache, so that the next one reads the limits.
  defp stop do
    Supervisor.terminate_child(Conformance.Tierup.Supervisor, Kept)
    Supervisor.delete_child(Conformance.Tierup.Supervisor, Kept)
  end

  # Binds a baseline that notes the arguments of its calls. Returns a function that tells them.
  defp bound(variables \\ %{}) do
    stop()
    System.put_env(variables)
    {:ok, called} = Agent.start_link(fn -> [] end)
    called_with = fn value -> Agent.update(called, &[value | &1]) end

    baseline = %{echo_text: fn text -> called_with.(text) && text end}
    assert Conformance.bind(tier: "0:memo", baseline: baseline) == "0:memo"
    fn -> called |> Agent.get(& &1) |> Enum.reverse() end
  end

  # The cache's process, once it has started again.
  defp kept(tries \\ 3_000) do
    case Process.whereis(Kept) do
      nil when tries > 0 -> Process.sleep(20) && kept(tries - 1)
      nil -> flunk("the cache did not start again")
      pid -> pid
    end
  end

  test "arguments that do not fit the signature go to the function" do
    called = bound()
    for _ <- 1..2, do: assert(Conformance.echo_text(:atom) == {:ok, :atom})
    assert called.() == [:atom, :atom]
  end

  test "removed entries leave nothing in the order of removal" do
    bound(%{"TIERUP_MEMO_BYTES" => "100000"})
    for number <- 1..1_000, do: Conformance.echo_text!("#{number} #{String.duplicate("y", 1_000)}")
    assert :gb_sets.size(:sys.get_state(Kept).order) <= 60
  end

  test "a part of a binary in an answer does not keep all of it" do
    stop()
    large = fn -> for(_ <- 1..1_000_000, into: "", do: "x") end
    part = fn [_] -> [binary_part(large.(), 0, 100)] end
    assert Conformance.bind(tier: "0:memo", baseline: %{echo_texts: part}) == "0:memo"
    before = :erlang.memory(:binary)
    for number <- 1..50, do: assert([<<_::binary-size(100)>>] = Conformance.echo_texts!(["#{number}"]))
    :erlang.garbage_collect()
    assert :ets.info(Kept, :size) == 50
    # If all binaries were kept whole, they would take 50 MB.
    assert :erlang.memory(:binary) - before < 10_000_000
  end

  test "a cache that was started again keeps answers again" do
    called = bound()
    assert Conformance.echo_text!("a") == "a"
    kept = Process.whereis(Kept)
    Process.exit(kept, :kill)
    until_other(kept)
    for _ <- 1..3, do: assert(Conformance.echo_text!("a") == "a")
    assert called.() == ["a", "a"]
  end

  defp until_other(kept) do
    if Process.whereis(Kept) in [nil, kept], do: Process.sleep(10) && until_other(kept)
  end

  test "another baseline has other answers" do
    bound()
    assert Conformance.echo_text!("a") == "a"
    Conformance.bind(tier: "0:memo", baseline: %{echo_text: &String.upcase/1})
    assert Conformance.echo_text!("a") == "A"
  end

  test "many processes get right answers, also while the cache starts again" do
    bound(%{"TIERUP_MEMO_ENTRIES" => "10"})

    callers =
      for _ <- 1..8 do
        Task.async(fn ->
          for number <- 1..2_000, text = "#{rem(number * 7, 30)}", do: {text, Conformance.echo_text!(text)}
        end)
      end

    for _ <- 1..2 do
      Process.exit(kept(), :kill)
      Process.sleep(50)
    end

    for {asked, answered} <- callers |> Task.await_many(120_000) |> List.flatten(), do: assert(asked == answered)
  end
end

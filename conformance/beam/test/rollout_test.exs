defmodule RolloutTest do
  @moduledoc "TIERUP_ROLLOUT in Elixir alone: processes, throws and exits, terms of other types; crates/tierup/tests/conformance/rollout.rs has the rest."
  use ExUnit.Case

  alias Conformance.Tierup.Rollout
  alias ConformanceServer.Different

  @shadow "candidate=3:native\nshadow=1\nkeep=values\n"
  @share "candidate=3:native\nshare=1\n"
  @kinds ~w(calls sampled too_large refused dropped shared erred errors panics timeouts lost)

  defmodule Marked do
    def echo_bytes(_), do: "own"
  end

  setup do
    folder = Path.join(System.tmp_dir!(), "tierup-#{System.pid()}-#{System.unique_integer([:positive])}")
    File.mkdir!(folder)

    on_exit(fn ->
      System.delete_env("TIERUP_ROLLOUT")
      Conformance.bind(tier: "3:native")
      File.rm_rf!(folder)
    end)

    %{path: Path.join(folder, "rollout")}
  end

  test "errors, throws and exits are the caller's, and what Rust would refuse is counted", %{path: path} do
    rollout(path, @shadow, fn ->
      assert catch_error(Conformance.fail!("it")) == %RuntimeError{message: "own words for it"}
      assert {:error, %RuntimeError{}} = Conformance.fail("it")
      assert catch_error(Conformance.echo_text!("broken")) == %ConformanceServer.Broken{}
      # Neither is an answer.
      assert catch_throw(Conformance.echo_text!("thrown")) == :thrown
      assert catch_exit(Conformance.echo_text("left")) == :left
      # What Rust would refuse, and what both sides refuse.
      assert Conformance.echo_text(7) == {:ok, 7}
      assert Conformance.echo_text(<<255>>) == {:ok, <<255>>}
      assert {:error, %FunctionClauseError{}} = Conformance.panic_if(true, 7)
      found = fn -> {counts(path) |> Enum.map(&{&1["compared"], &1["different"]}), Enum.take(host(path), 5)} end
      eventually(fn -> found.() == {[{3, 1}], [8, 5, 0, 2, 0]} end)
      assert hd(counts(path)).host =~ ~s("refusal":"echo_text: text: expected text, got 7")
      # The value is forgotten with the line that asks for it.
      File.write!(path, String.replace(@shadow, "keep=values\n", ""))
      eventually(fn -> hd(counts(path)).host =~ ~s("refusal":"echo_text",) end)
      assert %{calls: 8, errors: 4, panics: 0} = Conformance.metrics()
    end)
  end

  test "no value of a refused call is written unless the control file asks for it", %{path: path} do
    rollout(path, "candidate=3:native\nshadow=1\n", fn ->
      assert Conformance.echo_text!(7) == 7
      eventually(fn -> hd(counts(path)).host =~ ~s("refusal":"echo_text",) end)
    end)
  end

  test "the control answers many processes at once", %{path: path} do
    rollout(path, @share, fn ->
      calls = fn ->
        for number <- 1..100 do
          assert Conformance.panic_if!(true, "x#{number}") == "X#{number}"
          # With no more than half of them the candidate goes on.
          for _ <- 1..3, do: assert(Conformance.panic_if(false, "x") == {:ok, "X"})
        end
      end

      1..8 |> Enum.map(fn _ -> Task.async(calls) end) |> Task.await_many(120_000)
      assert {:error, %RuntimeError{}} = Conformance.fail("it")
      assert Conformance.echo_text(7) == {:ok, 7}
      assert %{calls: 3202, errors: 1, panics: 0} = Conformance.metrics()
      eventually(fn -> hd(host(path)) == 3202 end)
    end)

    assert Enum.zip(@kinds, host(path)) |> Enum.reject(&(elem(&1, 1) == 0)) ==
             [{"calls", 3202}, {"refused", 1}, {"shared", 3202}, {"errors", 1}, {"panics", 800}]
  end

  test "variants of other hosts are no candidates", %{path: path} do
    said = rollout(path, @share, fn ->
      File.write!(path, "candidate=3:async\nshare=1\n")
      eventually(fn -> Conformance.echo_text!("😀") == ":-)" end)
      Process.sleep(100)
    end)

    assert said =~ " is not obeyed, so the control answers every call: conformance cannot run at tier 3:async: a process that calls 3:native"
  end

  test "killed processes of the package change nothing for callers", %{path: path} do
    large = :binary.copy(<<0>>, 60_000)
    answered = fn -> for _ <- 1..50, do: assert(Conformance.echo_text!("a") == "a" and Conformance.echo_bytes!(large) == large) end

    rollout(path, @shadow, fn ->
      for number <- 1..6 do
        Process.exit(Process.whereis(if(rem(number, 2) == 0, do: Rollout.Reader, else: Rollout.Line)), :kill)
        answered.()
        Process.sleep(300)
      end

      eventually(fn ->
        Conformance.echo_text!("a")
        Enum.any?(counts(path), &(&1["compared"] > 0 and number(&1.host, "calls") >= 300))
      end)

      # Even if they are killed so often that they do not start again.
      whole = Process.whereis(Rollout)
      for _ <- 1..80, name <- [Rollout.Reader, Rollout.Line], process = Process.whereis(name), do: Process.exit(process, :kill) && Process.sleep(1)
      Process.exit(whole, :kill)
      answered.()
      assert %{tier: "0", errors: 0} = Conformance.metrics()
    end)
  end

  test "calls of killed processes leave the mark right", %{path: path} do
    large = :binary.copy(<<0>>, 4_000_000)

    rollout(path, @share, Marked, fn ->
      for _ <- 1..100 do
        callers = for _ <- 1..4, do: spawn(fn -> Conformance.echo_bytes!(large) end)
        Process.sleep(:rand.uniform(3))
        Enum.each(callers, &Process.exit(&1, :kill))
      end

      assert [mark] = Path.wildcard("#{path}.evidence/*.call")
      eventually(fn -> File.read!(mark) == "0 3:native\n" end)
    end)

    assert Path.wildcard("#{path}.evidence/*.{call,died}") == []
  end

  test "a caller's own random numbers stay as they are", %{path: path} do
    rollout(path, "candidate=3:native\nshare=0.5\nshadow=0.5\n", fn ->
      drawn = fn between -> :rand.seed(:exsss, 1) && between.() && for(_ <- 1..3, do: :rand.uniform()) end
      assert drawn.(fn -> true end) == drawn.(fn -> Conformance.echo_text!("a") end)
    end)
  end

  # The baseline under a control file with these lines, ready. Returns what was said on standard error.
  defp rollout(path, lines, own \\ Different, function) do
    for {id, _, _, _} <- Supervisor.which_children(Conformance.Tierup.Supervisor) do
      # The tests' other pools have programs, too.
      Supervisor.terminate_child(Conformance.Tierup.Supervisor, id)
      Supervisor.delete_child(Conformance.Tierup.Supervisor, id)
    end

    File.write!(path, lines)
    System.put_env("TIERUP_ROLLOUT", path)

    said =
      ExUnit.CaptureIO.capture_io(:stderr, fn ->
        Conformance.bind(baseline: own, tier: "0")
        Conformance.ready()
        # On a busy machine it may take longer than `ready` waits.
        eventually(fn -> Enum.any?(counts(path), &(&1.host =~ "process")) end)
        function.()
        System.delete_env("TIERUP_ROLLOUT")
        Conformance.bind(tier: "3:native")
      end)

    assert Process.whereis(Rollout) == nil
    eventually(fn -> programs() == [] end)
    said
  end

  # The first lines of the evidence.
  defp counts(path) do
    # A file that was just made is empty.
    for file <- Path.wildcard("#{path}.evidence/*.jsonl"), [first | _] <- [file |> File.read!() |> String.split("\n", trim: true)] do
      [own, host] = String.split(first, ~s("host":))
      %{"compared" => number(own, "compared"), "different" => number(own, "different"), host: host}
    end
  end

  # What this process has counted.
  defp host(path), do: for(name <- @kinds, do: path |> counts() |> Enum.map(&number(&1.host, name)) |> Enum.max())

  defp number(text, name) do
    case Regex.run(~r/"#{name}":(\d+)/, text) do
      [_, digits] -> String.to_integer(digits)
      nil -> 0
    end
  end

  # The companion, the workers, and the processes that make the candidate's calls.
  defp programs do
    path = hd(Conformance.Tierup.Built.files("1:pool"))

    for "/proc/" <> rest = file <- Path.wildcard("/proc/[0-9]*/cmdline"), {:ok, line} <- [File.read(file)], String.starts_with?(line, path) do
      Path.dirname(rest)
    end
  end

  defp eventually(condition, words \\ "it did not happen", tries \\ 3_000) do
    cond do
      condition.() -> :ok
      tries == 0 -> flunk(words)
      true -> Process.sleep(20) && eventually(condition, words, tries - 1)
    end
  end
end

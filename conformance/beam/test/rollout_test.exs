defmodule RolloutTest do
  @moduledoc "TIERUP_ROLLOUT: the control's answers reach every caller, whatever the candidate, the disk or a process does; what differs is found."
  use ExUnit.Case

  alias Conformance.Tierup.Rollout
  alias Conformance.Tierup.Rollout.ControlFile
  alias Conformance.Tierup.Rollout.InForce

  @shadow "candidate=3:native\nshadow=1\nkeep=values\n"
  @share "candidate=3:native\nshare=1\n"
  @kinds ~w(calls sampled too_large refused dropped shared erred errors panics timeouts lost)

  defmodule Broken do
    defexception []
    def message(_), do: raise("its own")
  end

  defmodule Own do
    @moduledoc "Functions of a server: like those in Rust, but for some inputs."
    def echo_text("😀"), do: ":-)"
    def echo_text("thrown"), do: throw(:thrown)
    def echo_text("left"), do: exit(:left)
    def echo_text("broken"), do: raise(Broken)
    def echo_text(text), do: text
    def panic_if(_, text) when is_binary(text), do: String.upcase(text)
    def fail(words), do: raise("own words for #{words}")
    def hang_on(word), do: if(word == "changed", do: 0, else: byte_size(word))
    def make_bytes(length), do: :binary.copy(<<0>>, min(length, 100))
    def echo_texts(texts), do: texts
    def echo_bytes(content), do: content
    def count_calls, do: 0
  end

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

  test "what differs is found, and nothing else", %{path: path} do
    rollout(path, @shadow, fn ->
      for text <- ["a", "", "ä\n"], do: assert(Conformance.echo_text!(text) == text)
      assert Conformance.echo_text("😀") == {:ok, ":-)"}
      # It panics there.
      assert for(condition <- [true, false], do: Conformance.panic_if!(condition, "x")) == ["X", "X"]
      # The words differ, and the error is the server's own.
      assert catch_error(Conformance.fail!("it")) == %RuntimeError{message: "own words for it"}
      assert {:error, %RuntimeError{}} = Conformance.fail("it")
      assert catch_error(Conformance.echo_text!("broken")) == %Broken{}
      # Neither is an answer.
      assert catch_throw(Conformance.echo_text!("thrown")) == :thrown
      assert catch_exit(Conformance.echo_text("left")) == :left
      # It is not pure.
      assert Conformance.count_calls!() == 0
      # What Rust would refuse, and what is too large.
      assert Conformance.echo_text(7) == {:ok, 7}
      assert Conformance.echo_text(<<255>>) == {:ok, <<255>>}
      assert {:error, %FunctionClauseError{}} = Conformance.panic_if(true, 7)
      for size <- [65_533, 1_000_000], do: assert(byte_size(Conformance.echo_bytes!(:binary.copy("x", size))) == size)
      assert length(Conformance.echo_texts!([:binary.copy("x", 50_000), :binary.copy("x", 50_000)])) == 2
      assert Conformance.echo_text!(:binary.copy("x", 60_000)) |> byte_size() == 60_000
      compared(path, 10)
      assert %{calls: 19, errors: 4, panics: 0} = Conformance.metrics()
    end)

    assert [%{"compared" => 10, "alike" => 7, "different" => 3, "panics" => 1, "timeouts" => 0, "deaths" => 0, host: host}] = counts(path)
    assert Enum.take(host(path), 5) == [18, 15, 3, 2, 0]
    assert host =~ ~s("refusal":"echo_text: text: expected text, got 7")
    assert length(differences(path)) == 3
  end

  test "no value is written unless the control file asks for it", %{path: path} do
    rollout(path, "candidate=3:native\nshadow=1\n", fn ->
      assert for(text <- ["😀", 7], do: Conformance.echo_text!(text)) == [":-)", 7]
      compared(path, 1)
    end)

    assert [%{"different" => 1, host: host}] = counts(path)
    assert host =~ ~s("refusal":"echo_text",)
    assert differences(path) == []
  end

  test "calls that hang or die are found beside the server", %{path: path} do
    System.put_env("TIERUP_CALL_TIMEOUT", "3")

    rollout(path, @shadow, fn ->
      System.delete_env("TIERUP_CALL_TIMEOUT")
      assert for(word <- ~w(really deeply fine), do: Conformance.hang_on!(word)) == [6, 6, 4]
      assert byte_size(Conformance.make_bytes!(1_048_576)) == 100
      compared(path, 4)
    end)

    assert [%{"alike" => 1, "different" => 3, "timeouts" => 1, "deaths" => 1}] = counts(path)
  end

  test "the control answers whatever panics, for many processes at once", %{path: path} do
    said =
      rollout(path, @share, fn ->
        calls = fn ->
          for number <- 1..100 do
            assert Conformance.panic_if!(true, "x#{number}") == "X#{number}"
            # With no more than half of them the candidate goes on.
            for _ <- 1..3, do: assert(Conformance.panic_if(false, "x") == {:ok, "X"})
          end
        end

        1..8 |> Enum.map(fn _ -> Task.async(calls) end) |> Task.await_many(120_000)
        assert Conformance.echo_text!("😀") == "😀", "the candidate does not answer"
        assert {:error, %RuntimeError{}} = Conformance.fail("it")
        assert Conformance.echo_text(7) == {:ok, 7}
        assert %{calls: 3203, errors: 1, panics: 0} = Conformance.metrics()
        eventually(fn -> hd(host(path)) == 3203 end)
      end)

    assert Enum.zip(@kinds, host(path)) |> Enum.reject(&(elem(&1, 1) == 0)) ==
             [{"calls", 3203}, {"refused", 1}, {"shared", 3203}, {"errors", 1}, {"panics", 800}]

    refute said =~ "failed at"
  end

  test "a candidate that fails in more than half of its calls gets no more", %{path: path} do
    said =
      rollout(path, @share, fn ->
        for _ <- 1..300, do: assert(Conformance.panic_if!(true, "x") == "X")
        assert Conformance.echo_text!("😀") == ":-)", "the candidate answers"
        File.write!(path, "#{@share}generation=2\n")
        eventually(fn -> Conformance.echo_text!("😀") == "😀" end)
      end)

    assert said =~ "100 of 100 calls failed at 3:native, so the control answers until the control file changes"
  end

  test "the same input stays with its side, which is that of other hosts", %{path: path} do
    rollout(path, "candidate=3:native\nshare=0.5\nby=input\nkey=secret\n", Marked, fn ->
      sides = for _ <- 1..2, do: for(number <- 1..400, do: Conformance.echo_bytes!("#{number}") == "own")
      assert hd(sides) == List.last(sides)
      assert Enum.count(hd(sides), & &1) in 140..260
    end)

    # As in Python: hmac.new(key, b"14 " + arguments, "sha256").
    for {key, expected} <- [{"secret", "10111110100100011011001110111010"}, {String.duplicate("k", 70), "00101010101001110011100000101101"}] do
      now = InForce.new(ControlFile.parse("candidate=3:native\nshare=0.5\nkey=#{key}\n"), {nil, nil}, "")
      drawn = for number <- 0..31, text = "#{number}", do: InForce.chooses?(now, 14, <<byte_size(text)::little-32, text::binary>>)
      assert Enum.map_join(drawn, &if(&1, do: 1, else: 0)) == expected
    end
  end

  test "a file that is missing, cut, wrong or over means the control", %{path: path} do
    lines = "#{@share}until=4102444800\n"
    whole = "#{lines}checksum=#{ControlFile.checksum(lines)}\n"

    wrong = [
      {binary_part(whole, 0, byte_size(whole) - 9), "its last line has no end: it may be cut"},
      {String.replace(whole, "share=1", "share=0.9"), "its checksum does not fit the lines above it"},
      {String.replace(@share, "1", "1.5"), "`share` must be a number from 0 to 1, such as 0.01, got `1.5`"},
      {"candidate=0:tuned\nshare=1\n", "`candidate` must be a variant in Rust, such as 3:native, got `0:tuned`"},
      {"candidate=3:async\nshare=1\n", "conformance cannot run at tier 3:async: a process that calls 3:native does not keep others waiting"},
      {"#{@share}until=1\n", "its judge has not renewed it: `until` is over"},
      {nil, "no such file or directory"}
    ]

    said =
      rollout(path, whole, fn ->
        for {text, words} <- wrong do
          eventually(fn -> Conformance.echo_text!("😀") == "😀" end)
          File.write!("#{path}.part", text || "")
          if text, do: File.rename!("#{path}.part", path), else: File.rm!(path)
          eventually(fn -> Conformance.echo_text!("😀") == ":-)" end, words)
          File.write!(path, whole)
        end
      end)

    for {_, words} <- wrong, do: assert(length(String.split(said, " is not obeyed, so the control answers every call: #{words}")) == 2, said)
  end

  test "killed companions, and killed processes of the package, change nothing for callers", %{path: path} do
    large = :binary.copy(<<0>>, 60_000)
    answered = fn -> for _ <- 1..50, do: assert(Conformance.echo_text!("a") == "a" and Conformance.echo_bytes!(large) == large) end

    rollout(path, @shadow, fn ->
      for number <- 1..12 do
        case rem(number, 4) do
          0 -> signal("KILL")
          1 -> signal("STOP")
          2 -> Process.exit(Process.whereis(Rollout.Reader), :kill)
          3 -> Process.exit(Process.whereis(Rollout.Line), :kill)
        end

        answered.()
        Process.sleep(300)
        signal("CONT")
      end

      eventually(fn ->
        Conformance.echo_text!("a")
        Enum.any?(counts(path), &(&1["compared"] > 0 and number(&1.host, "calls") >= 600))
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

  test "after two deaths in a call of the candidate, nodes start at the control", %{path: path} do
    File.write!(path, @share)
    die = ~s[IO.inspect(Conformance.hang_on!("deeply"))]
    for _ <- 1..2, do: refute(match?({_, 0}, script(path, die)))
    # Ended from outside, between two calls: not the candidate's fault.
    script(path, ~s|Conformance.echo_text("a"); System.cmd("kill", ["-KILL", System.pid()])|)
    {said, 0} = script(path, die)
    assert said =~ "2 processes died in a call of 3:native (" and said =~ "\n6\n"
    File.write!(path, "#{@share}generation=2\n")
    refute match?({_, 0}, script(path, die))
  end

  test "a folder that cannot be written in changes nothing for callers", %{path: path} do
    # Where its evidence would be.
    File.write!("#{path}.evidence", "")
    File.write!(path, "#{@share}shadow=1\n")
    {said, 0} = script(path, ~s[IO.inspect({Conformance.echo_text!("a"), Conformance.hang_on!("deeply")}); Process.sleep(2_000)])
    assert said =~ ~s[{"a", 6}] and said =~ "nobody would learn that a call of 3:native ended the process"
    assert said =~ "the evidence of a shadow is incomplete"
  end

  test "a caller's own random numbers stay as they are", %{path: path} do
    rollout(path, "candidate=3:native\nshare=0.5\nshadow=0.5\n", fn ->
      drawn = fn between -> :rand.seed(:exsss, 1) && between.() && for(_ <- 1..3, do: :rand.uniform()) end
      assert drawn.(fn -> true end) == drawn.(fn -> Conformance.echo_text!("a") end)
    end)
  end

  # The baseline under a control file with these lines, ready. Returns what was said on standard error.
  defp rollout(path, lines, own \\ Own, function) do
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
    for [first | _] <- evidence(path) do
      [own, host] = String.split(first, ~s("host":))
      numbers = for name <- ~w(compared alike different panics timeouts deaths), into: %{}, do: {name, number(own, name)}
      Map.put(numbers, :host, host)
    end
  end

  defp differences(path), do: Enum.flat_map(evidence(path), &tl/1)

  # A file that was just made is empty.
  defp evidence(path) do
    for file <- Path.wildcard("#{path}.evidence/*.jsonl"), text = File.read!(file), text != "", do: String.split(text, "\n", trim: true)
  end

  # What this process has counted.
  defp host(path), do: for(name <- @kinds, do: path |> counts() |> Enum.map(&number(&1.host, name)) |> Enum.max())

  defp number(text, name) do
    case Regex.run(~r/"#{name}":(\d+)/, text) do
      [_, digits] -> String.to_integer(digits)
      nil -> 0
    end
  end

  # Waits until so many calls are compared: that has the lowest priority.
  defp compared(path, count), do: eventually(fn -> path |> counts() |> Enum.map(& &1["compared"]) |> Enum.sum() == count end)

  # The companion, the workers, and the processes that make the candidate's calls.
  defp programs do
    path = Conformance.Tierup.Built.artifact("1:pool")

    for "/proc/" <> rest = file <- Path.wildcard("/proc/[0-9]*/cmdline"), {:ok, line} <- [File.read(file)], String.starts_with?(line, path) do
      Path.dirname(rest)
    end
  end

  defp signal(name), do: for(process <- programs(), do: System.cmd("kill", ["-#{name}", process], stderr_to_stdout: true))

  # Runs code with the package in a BEAM of its own. Returns what it said, and its exit code.
  defp script(path, code) do
    own = """
    defmodule Own do
      def echo_text(text), do: text
      def hang_on(word), do: byte_size(word)
    end
    Conformance.bind(baseline: Own, tier: "0")
    Conformance.ready()
    """

    # A crash dump would take long.
    environment = [{"TIERUP_ROLLOUT", path}, {"ERL_CRASH_DUMP_SECONDS", "0"}]
    System.cmd("elixir", ["-pa", Path.dirname(:code.which(Conformance)), "-e", own <> code], env: environment, stderr_to_stdout: true)
  end

  defp eventually(condition, words \\ "it did not happen", tries \\ 3_000) do
    cond do
      condition.() -> :ok
      tries == 0 -> flunk(words)
      true -> Process.sleep(20) && eventually(condition, words, tries - 1)
    end
  end
end

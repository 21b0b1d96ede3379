defmodule NativeTest do
  @moduledoc "What only the BEAM can show of `3:native`: schedulers, memory, a hot upgrade."
  use ExUnit.Case

  setup do
    Conformance.bind(tier: "3:native")
    :ok
  end

  # The memory of the whole process in kB.
  defp resident do
    [_, kilobytes] = Regex.run(~r/VmRSS:\s+(\d+)/, File.read!("/proc/self/status"))
    String.to_integer(kilobytes)
  end

  test "calls of several processes run at the same time" do
    # Two calls do not return, and a third does. That takes three schedulers, however many processors there are.
    script = """
    hung = for _ <- 1..2, do: spawn(fn -> Conformance.hang_on("really") end)
    inside? = fn -> Enum.all?(hung, &(Process.info(&1, :status) == {:status, :running})) end
    wait = fn wait -> unless inside?.(), do: Process.sleep(10) && wait.(wait) end
    wait.(wait)
    "answered" = Conformance.echo_text!("answered")
    true = inside?.()
    # This ends the BEAM without waiting for the two calls, which never end.
    :erlang.halt(42, flush: false)
    """

    libraries = Path.wildcard("_build/#{Mix.env()}/lib/*/ebin") |> Enum.flat_map(&["-pa", &1])
    arguments = ["--erl", "+S 3:3 +SDcpu 3:3"] ++ libraries ++ ["-e", script]
    # The program of a port outlives the test. Without `timeout`, this one would run for ever.
    arguments = ["-s", "KILL", "240", "elixir" | arguments]
    assert {_, 42} = System.cmd("timeout", arguments, env: [{"TIERUP_TIER", "3:native"}], stderr_to_stdout: true)
  end

  test "a long call does not keep the schedulers" do
    parent = self()
    # There are more calls than schedulers.
    for _ <- 1..(2 * System.schedulers_online()), do: spawn(fn -> send(parent, Conformance.churn!(1, 1_000_000)) end)
    assert :erlang.system_info(:dirty_cpu_schedulers_online) > 0
    echo = spawn(fn -> receive(do: ({from, :ping} -> send(from, :pong))) end)
    send(echo, {self(), :ping})
    assert_receive :pong, 60_000
    for _ <- 1..(2 * System.schedulers_online()), do: assert_receive(number when is_integer(number), 60_000)
  end

  # Runs a function in many processes at a time, so that all schedulers make calls.
  defp in_processes(count, function) do
    1..count |> Enum.map(fn _ -> Task.async(function) end) |> Task.await_many(240_000)
  end

  # Calls a function several times, without keeping its answers.
  defp times(0, _), do: :ok
  defp times(count, function), do: function.() && times(count - 1, function)

  defp schedulers, do: :erlang.system_info(:dirty_cpu_schedulers)

  test "memory stays flat over many calls, and over many panics in many processes" do
    # If each call kept its memory, that would be 100 MB in the end.
    [many_calls, many_panics] = if System.get_env("TIERUP_LONG") == "1", do: [100_000, 10_000], else: [20_000, 2_000]
    text = String.duplicate("größe ", 750)
    words = String.duplicate("again", 2_000)
    point = %Conformance.Point{x: 1.0, y: 2.0}
    processes = 4 * schedulers()

    calls = fn count ->
      in_processes(processes, fn ->
        times(div(count, processes), fn ->
          ^text = Conformance.echo_text!(text)
          ^point = Conformance.echo_point!(point)
        end)
      end)
    end

    panics = fn count ->
      in_processes(processes, fn ->
        times(div(count, processes), fn -> {:error, %Conformance.PanicError{}} = Conformance.panic_with(words) end)
      end)
    end

    calls.(div(many_calls, 10))
    panics.(div(many_panics, 5))
    before = resident()
    calls.(many_calls)
    panics.(many_panics)
    :erlang.garbage_collect()
    more = resident() - before
    assert more < 40_000, "#{more} kB more"
  end

  # The minor page faults of the whole process, which do not read from a disk.
  defp page_faults do
    [_, fields] = "/proc/self/stat" |> File.read!() |> String.split(") ", parts: 2)
    fields |> String.split(" ") |> Enum.at(7) |> String.to_integer()
  end

  # Makes calls of any size in several processes at a time.
  defp calls_of_any_sizes do
    in_processes(2 * schedulers(), fn ->
      times(10, fn -> Conformance.echo_bytes!(:binary.copy(<<255>>, :rand.uniform(3_000_000))) end)
    end)
  end

  test "memory of a call is used again by the next one, whatever was called before" do
    for _ <- 1..10 do
      calls_of_any_sizes()

      for size <- [65_536, 400_000, 1_000_000, 8_000_000] do
        # The answer is short: for a long one the BEAM itself may take a carrier anew in each call.
        bytes = :binary.copy(<<255>>, size)
        call = fn -> {:error, _} = Conformance.decode_utf8(bytes) end
        times(10, call)
        before = page_faults()
        times(50, call)
        each = (page_faults() - before) / 50
        # The function's copy of the bytes would cost one for each 4 KiB.
        assert each < size / 4096 / 4, "#{each} page faults a call with #{size} bytes"
      end
    end
  end

  test "large answers are not kept" do
    bytes = :binary.copy(<<1>>, 16_777_216)
    call = fn -> byte_size(Conformance.echo_bytes!(bytes)) end
    in_processes(2 * schedulers(), call)
    before = resident()
    for _ <- 1..50, do: in_processes(1, call)
    more = resident() - before
    # 50 answers would be 800 MB. The allocator may keep one or two of them for each thread.
    assert more < 400_000, "#{more} kB more"
  end

  test "a part of an answer does not keep all of it" do
    [first | _] = Conformance.echo_texts!(["small", String.duplicate("x", 1_000_000)])
    assert :binary.referenced_byte_size(first) < 100
  end

  test "a process that is killed in a call leaves the others alone" do
    for _ <- 1..20 do
      killed = spawn(fn -> Conformance.churn(1, 1_000_000) end)
      Process.exit(killed, :kill)
    end

    assert Conformance.func!(1) == 1
  end

  test "a function has the stack of a program" do
    # The stack has 2 MB; that of a dirty scheduler has 320 KB.
    for tier <- ["1:pool", "3:native"] do
      Conformance.bind(tier: tier)
      assert Conformance.hang_on!("deep") == 4000
    end
  end

  # Waits until no call runs in the old version. `purge` would kill the processes that made such calls.
  defp unused(module) do
    unless :code.soft_purge(module), do: Process.sleep(5) && unused(module)
  end

  for {tier, module} <- [{"3:native", Conformance.Tierup.Nif}, {"2:core", Conformance.Tierup.SandboxNif}] do
    test "#{tier}: a new version of the module can be loaded while the old one runs" do
      Conformance.bind(tier: unquote(tier))
      module = unquote(module)
      {^module, binary, path} = :code.get_object_code(module)
      large = for number <- 1..20, do: Conformance.echo_bytes!(:binary.copy(<<number>>, 1_000_000))
      running = for _ <- 1..4, do: Task.async(fn -> for seed <- 1..40, do: Conformance.churn!(seed, 200_000) end)

      for _ <- 1..3 do
        unused(module)
        assert {:module, ^module} = :code.load_binary(module, path, binary)
        assert Conformance.echo_text!("upgraded") == "upgraded"
      end

      Task.await_many(running, 120_000)
      unused(module)
      assert Conformance.echo_text!("purged") == "purged"
      # Answers outlive the version that made them.
      for {bytes, number} <- Enum.with_index(large, 1), do: assert(bytes == :binary.copy(<<number>>, 1_000_000))
    end
  end
end

defmodule NativeTest do
  @moduledoc "What only the BEAM can show of `3:native`: schedulers, memory, a hot upgrade."
  use ExUnit.Case

  setup do
    Conformance.bind(tier: "3:native")
    :ok
  end

  defp resident do
    [_, kilobytes] = Regex.run(~r/VmRSS:\s+(\d+)/, File.read!("/proc/self/status"))
    String.to_integer(kilobytes)
  end

  defp milliseconds(function) do
    {time, _} = :timer.tc(function)
    time / 1000
  end

  test "two processes take about half the time of one" do
    if System.schedulers_online() > 1 do
      work = fn -> for seed <- 1..30, do: Conformance.churn!(seed, 1_000_000) end
      work.()
      # The machine may be busy, so the best of some tries counts.
      ratios =
        for _ <- 1..5 do
          alone = milliseconds(fn -> for _ <- 1..2, do: work.() end)
          together = milliseconds(fn -> Task.await_many(for(_ <- 1..2, do: Task.async(work)), 120_000) end)
          together / alone
        end

      assert Enum.min(ratios) < 0.8, inspect(ratios)
    end
  end

  test "a long call does not keep the schedulers" do
    parent = self()
    # More calls than there are schedulers.
    for _ <- 1..(2 * System.schedulers_online()), do: spawn(fn -> send(parent, Conformance.churn!(1, 1_000_000)) end)
    assert :erlang.system_info(:dirty_cpu_schedulers_online) > 0
    echo = spawn(fn -> receive(do: ({from, :ping} -> send(from, :pong))) end)
    send(echo, {self(), :ping})
    assert_receive :pong, 60_000
    for _ <- 1..(2 * System.schedulers_online()), do: assert_receive(number when is_integer(number), 60_000)
  end

  test "memory stays flat over 100,000 calls, and over 10,000 panics in many processes" do
    text = String.duplicate("größe ", 20)
    point = %Conformance.Point{x: 1.0, y: 2.0}

    calls = fn count ->
      for _ <- 1..count do
        ^text = Conformance.echo_text!(text)
        ^point = Conformance.echo_point!(point)
      end
    end

    panics = fn count ->
      1..20
      |> Enum.map(fn _ ->
        Task.async(fn ->
          for _ <- 1..div(count, 20), do: {:error, %Conformance.PanicError{}} = Conformance.panic_with("again")
        end)
      end)
      |> Task.await_many(120_000)
    end

    calls.(10_000)
    panics.(2_000)
    before = resident()
    calls.(50_000)
    panics.(10_000)
    :erlang.garbage_collect()
    assert resident() - before < 20_000, "#{resident() - before} kB more"
  end

  test "large answers are not kept" do
    bytes = :binary.copy(<<1>>, 16_777_216)
    call = fn -> Task.await(Task.async(fn -> byte_size(Conformance.echo_bytes!(bytes)) end), 60_000) end
    call.()
    before = resident()
    for _ <- 1..50, do: call.()
    assert resident() - before < 60_000
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
    # 2 MB; dirty schedulers have 320 KB.
    for tier <- ["1:pool", "3:native"] do
      Conformance.bind(tier: tier)
      assert Conformance.hang_on!("deep") == 4000
    end
  end

  for {tier, module} <- [{"3:native", Conformance.Tierup.Nif}, {"2:core", Conformance.Tierup.SandboxNif}] do
    test "#{tier}: a new version of the module can be loaded while the old one runs" do
      Conformance.bind(tier: unquote(tier))
      module = unquote(module)
      {^module, binary, path} = :code.get_object_code(module)
      running = for _ <- 1..4, do: Task.async(fn -> for seed <- 1..40, do: Conformance.churn!(seed, 200_000) end)

      for _ <- 1..3 do
        :code.purge(module)
        assert {:module, ^module} = :code.load_binary(module, path, binary)
        assert Conformance.echo_text!("upgraded") == "upgraded"
      end

      Task.await_many(running, 120_000)
      :code.purge(module)
      assert Conformance.echo_text!("purged") == "purged"
    end
  end
end

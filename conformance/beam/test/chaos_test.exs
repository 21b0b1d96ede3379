defmodule ChaosTest do
  @moduledoc """
  All at the same time: calls, panics and large payloads at `3:native`, and a pool whose programs are killed at random. No answer may
  be wrong, nothing of the server's own may end, and memory must stay flat.

  `TIERUP_CHAOS_SECONDS` says for how long; 10 by default. A machine that needs more than 20 minutes beyond that, or a pool that no
  longer answers, fails the test.
  """
  use ExUnit.Case

  @seconds String.to_integer(System.get_env("TIERUP_CHAOS_SECONDS", "10"))

  # The test must end within so many ms. ExUnit ends it a little later, if something waits without a limit.
  @bound (@seconds + 20 * 60) * 1000
  @moduletag timeout: @bound + 5 * 60_000

  @pool Conformance.Tierup.Pool.Workers
  @mebibyte 1_048_576
  @workers 3

  # How many of each must happen within that time.
  @calls 100_000
  @panics 10_000
  @large 20
  @kills 100

  # How many of each have happened, and where `counters` holds the number.
  @counted [calls: 1, panics: 2, large: 3, kills: 4, pool: 5, lost: 6, wrong: 7]

  setup do
    System.put_env("TIERUP_WORKERS", "#{@workers}")
    for {id, _, _, _} <- Supervisor.which_children(Conformance.Tierup.Supervisor), id == @pool, do: end_pool()

    on_exit(fn ->
      System.delete_env("TIERUP_WORKERS")
      end_pool()
      Conformance.bind(tier: "3:native")
    end)
  end

  defp end_pool do
    Supervisor.terminate_child(Conformance.Tierup.Supervisor, @pool)
    Supervisor.delete_child(Conformance.Tierup.Supervisor, @pool)
  end

  # A call at a tier of its own, whatever the application is bound to.
  defp caller(tier) do
    {^tier, variant, state, _} = Conformance.Tierup.Tiers.choose(tier: tier)
    :ok = variant.ready(state)
    fn name, arguments -> variant.call(state, number(name), arguments) end
  end

  defp number(name), do: Enum.find(Conformance.Tierup.Interface.functions(), &(&1.name == name)).number

  defp count(counters, what), do: :counters.add(counters, @counted[what], 1)
  defp counted(counters, what), do: :counters.get(counters, @counted[what])
  defp all(counters), do: Enum.map_join(@counted, ", ", fn {what, _} -> "#{what} #{counted(counters, what)}" end)
  defp judge(counters, what, is_right?), do: count(counters, if(is_right?, do: what, else: :wrong))

  defp text(number), do: "#{number} #{String.duplicate("x", rem(number * 997, 200_000))}"

  # Each of the following functions is called with one number after the other, until the test has enough.
  defp calls(native, counters) do
    fn number ->
      text = "größe #{number} #{String.duplicate("x", 4_000)}"
      judge(counters, :calls, native.(:echo_text, [text]) == {:ok, text})
    end
  end

  defp panics(native, counters) do
    fn number ->
      words = "panic #{number}; #{String.duplicate("x", 20_000)}"
      answer = native.(:panic_with, [words])
      judge(counters, :panics, match?({:error, %Conformance.PanicError{}}, answer) and String.starts_with?(elem(answer, 1).message, words))
    end
  end

  defp large(native, pooled, counters) do
    fn number ->
      bytes = :binary.copy(<<number::64>>, div(16 * @mebibyte, 8))
      judge(counters, :large, native.(:echo_bytes, [bytes]) == {:ok, bytes})
      in_pool(counters, pooled.(:echo_bytes, [bytes]), bytes)
      # The pause leaves processors to the other jobs.
      Process.sleep(100)
    end
  end

  defp pool(pooled, counters) do
    fn number ->
      text = text(number)
      in_pool(counters, pooled.(:echo_text, [text]), text)
    end
  end

  defp in_pool(counters, {:error, %Conformance.TransportError{}}, _), do: count(counters, :lost)
  defp in_pool(counters, answer, sent), do: judge(counters, :pool, answer == {:ok, sent})

  # Kills a program, and waits until the pool has answered again, however slow the machine is.
  defp kills(counters, over?) do
    fn _ ->
      with [os_pid | _] <- Enum.shuffle(programs()), do: System.cmd("kill", ["-KILL", "#{os_pid}"], stderr_to_stdout: true)
      count(counters, :kills)
      Process.sleep(:rand.uniform(40))
      before = counted(counters, :pool)
      wait(fn -> counted(counters, :pool) > before or over?.() end)
    end
  end

  defp wait(until) do
    unless until.(), do: Process.sleep(1) && wait(until)
  end

  defp programs do
    case Process.whereis(@pool) do
      nil -> []
      pool -> for {_, %{os_pid: os_pid}} when os_pid != nil <- :sys.get_state(pool, :infinity).programs, do: os_pid
    end
  end

  defp forever(function, number, step, over?) do
    unless over?.() do
      function.(number)
      forever(function, number + step, step, over?)
    end
  end

  # The memory of this process in kB, after a garbage collection.
  defp resident do
    for process <- Process.list(), do: :erlang.garbage_collect(process)
    [_, kilobytes] = Regex.run(~r/VmRSS:\s+(\d+)/, File.read!("/proc/self/status"))
    String.to_integer(kilobytes)
  end

  defp descriptors, do: length(File.ls!("/proc/self/fd"))

  defp settled(value, tries \\ 300) do
    if tries > 0 and not value.(), do: Process.sleep(100) && settled(value, tries - 1), else: value.()
  end

  test "calls, panics, 16 MiB payloads and killed programs at the same time" do
    end_by = System.monotonic_time(:millisecond) + @bound
    left = fn -> max(0, end_by - System.monotonic_time(:millisecond)) end
    {native, pooled} = {caller("3:native"), caller("1:pool")}
    pool = Process.whereis(@pool)

    run = fn over? ->
      counters = :counters.new(length(@counted), [])
      over? = fn -> left.() == 0 or over?.(counters) end

      jobs =
        [{large(native, pooled, counters), 0, 1}, {kills(counters, over?), 0, 1}, {panics(native, counters), 0, 1}] ++
          for(seed <- 0..7, do: {calls(native, counters), seed, 8}) ++
          for(seed <- 0..7, do: {pool(pooled, counters), seed, 8})

      tasks = for {job, first, step} <- jobs, do: Task.async(fn -> forever(job, first, step, over?) end)
      # A call that began before the bound may end after it.
      ended = Task.yield_many(tasks, left.() + 60_000)
      waiting = Enum.count(ended, fn {_, result} -> result == nil end)
      if waiting > 0, do: flunk("#{waiting} of #{length(tasks)} still wait for an answer: #{all(counters)}")
      if left.() == 0, do: flunk("not all has happened within #{div(@bound, 1000)} s: #{all(counters)}")
      counters
    end

    # Warms up, until all schedulers and allocators have seen calls of all sizes.
    run.(fn counters -> counted(counters, :large) >= @large and counted(counters, :panics) >= 1_000 and counted(counters, :kills) > 5 end)
    {before, open} = {resident(), descriptors()}
    begun = System.monotonic_time(:second)

    counters =
      run.(fn counters ->
        System.monotonic_time(:second) - begun >= @seconds and counted(counters, :calls) >= @calls and
          counted(counters, :panics) >= @panics and counted(counters, :large) >= @large and counted(counters, :kills) >= @kills
      end)

    took = System.monotonic_time(:second) - begun
    more = resident() - before
    said = "#{all(counters)} in #{took} s; #{more} kB more after #{before} kB"
    IO.puts("chaos: #{said}")
    assert counted(counters, :wrong) == 0, said
    # The pool's own process was not replaced, and the pool has as many workers as before.
    assert Process.whereis(@pool) == pool
    assert {:ok, 1} = pooled.(:func, [1])
    assert settled(fn -> length(programs()) <= @workers end)
    assert settled(fn -> descriptors() <= open + 2 * @workers end), "#{descriptors()} descriptors, #{open} before"
    # Twenty large answers that are kept would be 320 MB, 10,000 panics 200 MB, 100,000 calls 400 MB. The allocators may keep some of the
    # last large ones for each thread.
    assert more < 100_000 + 32_000 * :erlang.system_info(:dirty_cpu_schedulers), said
  end
end

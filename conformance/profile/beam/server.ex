# Five functions of known cost. Each request runs all of them, one request at a time. `awaited` runs in a task that yields four times,
# `in_worker` in a process that lives as long as the server, and `native` is a NIF: C code of OpenSSL.
#
# The server measures its functions itself, and appends to the file TRUTH every 200 ms: milliseconds since 1970, CPU of the process, and
# CPU of each function in the order of @names, all in microseconds since the start. Only one request in 32 is measured, and counts 32
# times: measuring would move samples, as they often fall on the end of a measured part, outside the function.

defmodule Clock do
  @moduledoc "CPU in nanoseconds, by a NIF."
  @on_load :load

  def load, do: :erlang.load_nif(~c"./clock", 0)
  def of_thread, do: :erlang.nif_error(:not_loaded)
  def of_process, do: :erlang.nif_error(:not_loaded)

  @doc """
  Measures the cost of the clock: the time between two readings with nothing in between. That is 0.6 us of the 6 us of a measured part.
  """
  def settle do
    apart = for _ <- 1..10_001, do: -of_thread() + of_thread()
    :persistent_term.put(__MODULE__, apart |> Enum.sort() |> Enum.at(5_000))
  end

  def cost, do: :persistent_term.get(__MODULE__)
end

defmodule Own do
  @moduledoc "The user's own functions. Each calls itself, as a call of another function in tail position would leave no frame."
  import Bitwise

  def light(0, total), do: total
  def light(number, total), do: light(number - 1, total * 1_664_525 + number &&& 0xFFFFFFFF)

  def awaited(0, total), do: total
  def awaited(number, total), do: awaited(number - 1, total * 22_695_477 + number &&& 0xFFFFFFFF)

  def in_worker(0, total), do: total
  def in_worker(number, total), do: in_worker(number - 1, total * 214_013 + number &&& 0xFFFFFFFF)

  def small(0, total), do: total
  def small(number, total), do: small(number - 1, total * 69_069 + number &&& 0xFFFFFFFF)

  # A larger block would be hashed on a dirty scheduler.
  @block :binary.copy("five functions, ", 1_000)

  def native(0, total), do: total

  def native(number, total) do
    <<first, _::binary>> = :crypto.hash(:sha256, @block)
    native(number - 1, total + first)
  end
end

defmodule Spent do
  @moduledoc """
  A function's own CPU. The BEAM has no clock for a process: a process has turns of 4,000 calls, and each turn may be in another thread.
  So the function is called in parts that are shorter than a turn, each at the beginning of a turn.
  """

  @doc "Calls a function of two arguments, of which the first is a count. Returns nanoseconds, or 0 if it is not measured."
  def by(function, count, part, is_measured)

  def by(function, count, _, false) do
    function.(count, 1)
    0
  end

  def by(function, count, part, true), do: parts(function, count, part, 0)

  defp parts(_, 0, _, spent), do: spent

  defp parts(function, count, part, spent) do
    now = min(part, count)
    :erlang.yield()
    before = Clock.of_thread()
    function.(now, 1)
    parts(function, count - now, part, spent + Clock.of_thread() - before - Clock.cost())
  end
end

defmodule Server do
  @moduledoc "Answers all requests alike."
  @names [:light, :awaited, :in_worker, :small, :native]
  @every 32
  @part 3_000

  def main do
    Clock.settle()
    # Loads OpenSSL before the first request.
    Own.native(1, 0)
    worker = spawn_link(&work/0)
    sums = :counters.new(length(@names), [])
    answering = spawn_link(fn -> answer(worker, sums, 0) end)
    if path = System.get_env("TRUTH"), do: spawn_link(fn -> tell(path, sums) end)
    options = [:binary, ip: {127, 0, 0, 1}, packet: :http_bin, active: false, reuseaddr: true, nodelay: true]
    {:ok, socket} = :gen_tcp.listen(String.to_integer(System.fetch_env!("PORT")), options)
    accept(socket, answering)
  end

  defp accept(socket, answering) do
    {:ok, client} = :gen_tcp.accept(socket)
    spawn(fn -> serve(client, answering) end)
    accept(socket, answering)
  end

  defp serve(client, answering) do
    case :gen_tcp.recv(client, 0) do
      {:ok, :http_eoh} ->
        send(answering, {self(), :request})
        receive(do: (:done -> :gen_tcp.send(client, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")))
        serve(client, answering)

      {:ok, _} ->
        serve(client, answering)

      {:error, _} ->
        :gen_tcp.close(client)
    end
  end

  # One request at a time, as requests are messages.
  defp answer(worker, sums, requests) do
    receive do
      {from, :request} ->
        is_measured = rem(requests, @every) == 0
        send(worker, {self(), is_measured})
        add(sums, :light, Spent.by(&Own.light/2, 210_000, @part, is_measured))
        add(sums, :small, Spent.by(&Own.small/2, 105_000, @part, is_measured))
        add(sums, :native, Spent.by(&Own.native/2, 163, 1, is_measured))
        task = Task.async(fn -> for _ <- 1..4, do: awaited_part(is_measured) end)
        add(sums, :awaited, Enum.sum(Task.await(task, :infinity)))
        receive(do: ({^worker, spent} -> add(sums, :in_worker, spent)))
        send(from, :done)
        answer(worker, sums, requests + 1)
    end
  end

  defp awaited_part(is_measured) do
    spent = Spent.by(&Own.awaited/2, 105_000, @part, is_measured)
    :erlang.yield()
    spent
  end

  defp work do
    receive do
      {from, is_measured} ->
        send(from, {self(), Spent.by(&Own.in_worker/2, 630_000, @part, is_measured)})
        work()
    end
  end

  defp add(sums, name, spent) do
    :counters.add(sums, 1 + Enum.find_index(@names, &(&1 == name)), @every * spent)
  end

  defp tell(path, sums) do
    Process.sleep(200)
    spent = for place <- 1..length(@names), do: :counters.get(sums, place)
    numbers = for nanoseconds <- [Clock.of_process() | spent], do: " #{div(nanoseconds, 1000)}"
    File.write!(path, ["#{System.os_time(:millisecond)}", numbers, "\n"], [:append])
    tell(path, sums)
  end
end

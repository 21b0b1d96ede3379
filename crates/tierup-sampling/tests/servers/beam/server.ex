# Starts a process for each connection. `/` computes in two functions, one of which makes twice as many steps.

defmodule Spinning do
  def long, do: steps(40_000) + 1
  def short, do: steps(20_000) + 1

  defp steps(0), do: 0
  defp steps(count), do: rem(steps(count - 1) * 31 + count, 65_521)
end

defmodule Server do
  def start do
    port = String.to_integer(System.fetch_env!("PORT"))
    options = [:binary, ip: {127, 0, 0, 1}, active: false, packet: :http_bin, reuseaddr: true, backlog: 64]
    {:ok, listener} = :gen_tcp.listen(port, options)
    accept(listener)
  end

  defp accept(listener) do
    {:ok, socket} = :gen_tcp.accept(listener)
    process = spawn(fn -> receive(do: (:go -> serve(socket))) end)
    :ok = :gen_tcp.controlling_process(socket, process)
    send(process, :go)
    accept(listener)
  end

  defp serve(socket) do
    case :gen_tcp.recv(socket, 0) do
      {:ok, :http_eoh} ->
        2 = div(Spinning.long() + Spinning.short(), 131_044) + 2
        :ok = :gen_tcp.send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        # The next request begins with lines again.
        :ok = :inet.setopts(socket, packet: :http_bin)
        serve(socket)

      {:ok, _} ->
        serve(socket)

      {:error, _} ->
        :gen_tcp.close(socket)
    end
  end
end

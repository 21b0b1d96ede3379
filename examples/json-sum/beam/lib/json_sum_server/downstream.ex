defmodule JsonSumServer.Downstream do
  @moduledoc """
  Posts a sum to the service behind this one, and waits for its whole answer.

  `Httpc` is what comes with Erlang and most would write. `Pool` is what an engineer would do about its cost, in the place of Hex's
  Finch: sockets that read HTTP in C, without a process between. Both keep connections. What may have arrived is not sent again:
  neither repeats a POST.
  """

  alias JsonSumServer.Downstream.Httpc
  alias JsonSumServer.Downstream.Pool

  # Milliseconds for which a connection is kept without use. Many servers close theirs after five seconds, and a sum that is
  # sent at that very moment is lost.
  def idle, do: 4_000

  @doc "A function that posts a sum, and the child of a supervisor that it needs."
  def connect(downstream, as_it_was?) do
    client = if as_it_was?, do: Httpc, else: Pool
    {post, child} = client.connect(downstream)
    {fn sum -> sum |> post.() |> judged() end, child}
  end

  defp judged({:ok, status}) when status in 200..299, do: :ok
  defp judged({:ok, status}), do: {:error, "downstream answered with status #{status}"}
  defp judged({:error, :timeout}), do: {:error, "no answer from downstream (timeout)"}
  defp judged({:error, reason}), do: {:error, "no answer from downstream (#{line(reason)})"}

  defp line(reason), do: reason |> inspect() |> String.split() |> Enum.join(" ")
end

defmodule JsonSumServer.Downstream.Httpc do
  @moduledoc "The client that comes with Erlang."

  alias JsonSumServer.Downstream

  def connect(%{url: url, timeout: timeout}) do
    url = String.to_charlist(url <> "/process")

    post = fn sum ->
      request = {url, [], ~c"application/json", ~s({"sum":#{sum}})}
      options = [timeout: timeout, connect_timeout: timeout, autoredirect: false]

      case :httpc.request(:post, request, options, [body_format: :binary], __MODULE__) do
        {:ok, {{_, status, _}, _, _}} -> {:ok, status}
        {:error, reason} -> {:error, reason}
      end
    end

    {post, %{id: __MODULE__, start: {__MODULE__, :start_link, []}}}
  end

  def start_link do
    {:ok, client} = :inets.start(:httpc, profile: __MODULE__)
    # No request waits for another's answer.
    :ok = :httpc.set_options([keep_alive_timeout: Downstream.idle(), max_keep_alive_length: 0, max_sessions: 100_000], __MODULE__)
    Process.link(client)
    {:ok, client}
  end
end

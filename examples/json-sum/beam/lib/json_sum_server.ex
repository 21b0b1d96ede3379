defmodule JsonSumServer do
  @moduledoc """
  Sums of JSON over HTTP, on mochiweb.

  Settings come from the environment: those of `JsonSumServer.Settings`, and what `JsonSum` reads itself, TIERUP_TIER above all.
  """

  use Application

  alias JsonSumServer.Downstream
  alias JsonSumServer.Own
  alias JsonSumServer.Settings

  @impl true
  def start(_type, _arguments) do
    settings = Settings.read()
    # TIERUP_TIER decides what runs. What can be tuned without Rust is how sums are posted, see below.
    JsonSum.bind(baseline: Own, baselines: %{"tuned" => Own})
    # Tier 0 is the service as it was. All other rows post in the best way that there is here, so that what is between them and
    # `0:tuned` is the function and nothing else.
    {post, client} = Downstream.connect(settings.downstream, JsonSum.tier() == "0")
    server = %{id: :http, start: {__MODULE__, :listen, [settings, post]}}

    with {:ok, supervisor} <- Supervisor.start_link([client, server], strategy: :one_for_one) do
      IO.puts("listening on http://#{settings.host}:#{:mochiweb_socket_server.get(__MODULE__, :port)} (tier #{JsonSum.tier()})")
      {:ok, supervisor}
    end
  end

  def listen(settings, post) do
    :mochiweb_http.start_link(
      name: __MODULE__,
      ip: String.to_charlist(settings.host),
      port: settings.port,
      # As many connections as come: each is a process.
      max: 100_000,
      backlog: 2048,
      nodelay: true,
      # A line of a request's head has to fit into it.
      recbuf: 65_536,
      loop: &JsonSumServer.App.handle(&1, post)
    )
  end
end

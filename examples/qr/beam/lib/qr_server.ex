defmodule QrServer do
  @moduledoc """
  QR codes over HTTP, on mochiweb.

  Settings come from the environment: HOST and PORT here, and what `Qr` reads itself, TIERUP_TIER above all.
  """

  use Application

  @impl true
  def start(_type, _arguments) do
    # TIERUP_TIER decides what runs; the function of old is called only where it is its.
    Qr.bind(baseline: QrServer.Own)
    host = System.get_env("HOST", "127.0.0.1")
    port = port(System.get_env("PORT", "42069"))

    server = %{id: :http, start: {__MODULE__, :listen, [host, port]}}

    with {:ok, supervisor} <- Supervisor.start_link([server], strategy: :one_for_one) do
      IO.puts("listening on http://#{host}:#{:mochiweb_socket_server.get(__MODULE__, :port)} (tier #{Qr.tier()})")
      {:ok, supervisor}
    end
  end

  def listen(host, port) do
    :mochiweb_http.start_link(
      name: __MODULE__,
      ip: String.to_charlist(host),
      port: port,
      # As many connections as come: each is a process.
      max: 100_000,
      backlog: 2048,
      nodelay: true,
      # A request's line has to fit into it.
      recbuf: 65_536,
      loop: &QrServer.App.handle/1
    )
  end

  defp port(text) do
    case Integer.parse(text) do
      {port, ""} when port in 0..65_535 -> port
      _ -> raise ArgumentError, "PORT must be a whole number from 0 to 65535, not #{inspect(text)}"
    end
  end
end

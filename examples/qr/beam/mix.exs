defmodule QrServer.MixProject do
  use Mix.Project

  def project do
    [app: :qr_server, version: "0.1.0", elixir: "~> 1.14", start_permanent: true, deps: deps()]
  end

  # mochiweb is not a dependency of mix: Debian's erlang-mochiweb is one of Erlang's own libraries there.
  def application do
    # Tests start no server.
    [extra_applications: [:logger, :mochiweb]] ++ if(Mix.env() == :test, do: [], else: [mod: {QrServer, []}])
  end

  defp deps, do: [{:qr, path: "../.tierup/beam"}]
end

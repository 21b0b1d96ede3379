defmodule JsonSumServer.MixProject do
  use Mix.Project

  def project do
    [app: :json_sum_server, version: "0.1.0", elixir: "~> 1.14", start_permanent: true, deps: deps()]
  end

  # mochiweb is not a dependency of mix: Debian's erlang-mochiweb is one of Erlang's own libraries there.
  def application do
    # Tests start no server.
    [extra_applications: [:logger, :inets, :mochiweb]] ++ if(Mix.env() == :test, do: [], else: [mod: {JsonSumServer, []}])
  end

  defp deps, do: [{:json_sum, path: "../.tierup/beam"}]
end

defmodule ConformanceServer.MixProject do
  use Mix.Project

  def project do
    [app: :conformance_server, version: "0.1.0", elixir: "~> 1.14", deps: [{:conformance, path: "../.tierup/beam"}]]
  end

  def application, do: [extra_applications: [:logger]]
end

defmodule Server.MixProject do
  use Mix.Project

  def project do
    [app: :server, version: "0.1.0", elixir: "~> 1.14", start_permanent: true, deps: deps()]
  end

  def application do
    [extra_applications: [:logger], mod: {Server, []}]
  end

  # The package that `tierup build` makes.
  defp deps, do: [{:{{application}}, path: "../tierup/{{name}}/beam"}]
end

# Made by tierup from the signatures in your crate; changes here are lost at the next build.
defmodule Package.MixProject do
  use Mix.Project

  def project do
    [
      app: :package_application,
      version: VERSION,
      description: DESCRIPTION,
      elixir: "~> 1.14",
      deps: [],
      package: [files: ~w(lib priv mix.exs README.md)]
    ]
  end

  def application do
    [extra_applications: [:logger, :crypto], mod: {Package.Tierup.Application, []}]
  end
end

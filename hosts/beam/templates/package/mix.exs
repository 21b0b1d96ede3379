# Made by tierup from the signatures in your crate; changes here are lost at the next build.
defmodule MODULE.MixProject do
  use Mix.Project

  def project do
    [
      app: :APPLICATION,
      version: VERSION,
      description: DESCRIPTION,
      elixir: "~> 1.14",
      deps: [],
      package: [files: ~w(lib priv mix.exs README.md)]
    ]
  end

  def application do
    [extra_applications: [:logger, :crypto], mod: {MODULE.Tierup.Application, []}]
  end
end

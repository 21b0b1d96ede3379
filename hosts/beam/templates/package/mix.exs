# Made by tierup from the signatures in your crate; changes here are lost at the next build.
defmodule {{module}}.MixProject do
  use Mix.Project

  def project do
    [
      app: :{{application}},
      version: {{version}},
      description: {{description}},
      elixir: "~> 1.14",
      deps: [],
      package: [
{{package}}
      ]
    ]
  end

  def application do
    [extra_applications: [:logger, :crypto], mod: {{{module}}.Tierup.Application, []}]
  end
end

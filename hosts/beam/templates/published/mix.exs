defmodule Server.MixProject do
  use Mix.Project

  def project, do: [app: :tierup_server, version: "0.1.0", deps: [{:{{application}}, path: "../package"}]]
end

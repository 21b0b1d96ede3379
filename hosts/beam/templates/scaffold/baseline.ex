defmodule Server.Baseline do
  @moduledoc "The function as it was before Rust: tier 0."

  @doc "Lower-case letters and digits; a run of anything else becomes one `-`, none at the ends."
  def slugify(text) do
    case text |> String.replace(~r/[^a-zA-Z0-9]+/, "-") |> String.trim("-") |> String.downcase() do
      "" -> {:error, "text has no letters or digits"}
      slug -> {:ok, slug}
    end
  end
end

# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Built do
  @moduledoc false
  # The built variants: the record that `tierup build` keeps in `built.json` beside `priv/`. A release has no record.
  # There, the files in `priv/` count as built.

  alias {{module}}.Tierup.Interface

  @doc false
  def built?(variant), do: why_not(variant) == nil

  # Why no variant can run if none was built.
  def nothing, do: "no variant is built here: run `tierup build`"

  # Whether there is neither a record nor a file of a build.
  def nothing? do
    case record() do
      {:ok, text} -> not (text =~ ~s("built"))
      :none -> not Enum.any?(["3:native", "2:core", "1:pool"], &File.exists?(artifact(&1)))
    end
  end

  # Whether the built files have another interface than this package.
  def stale? do
    case record() do
      {:ok, text} -> abi_of(text) not in [nil, Interface.abi()]
      _ -> false
    end
  end

  # Why a variant cannot run; nil if it was built.
  def why_not(variant) do
    case {record(), nothing?()} do
      {_, true} -> nothing()
      {{:ok, text}, _} -> if stale?(), do: stale(), else: entry(text, variant)
      {:none, _} -> if File.exists?(artifact(variant)), do: nil, else: "it was not built: run `#{command(variant)}`"
    end
  end

  defp stale, do: "the built files have another interface than this package: run `tierup build`"

  # The record has one line for each variant, as `tierup build` writes it. OTP reads JSON only since version 27.
  defp entry(text, variant) do
    case Regex.run(~r/"#{Regex.escape(variant)}"\s*:\s*\{([^{}]*)\}/, text) do
      nil -> "it was not built: run `#{command(variant)}`"
      [_, entry] -> if entry =~ ~r/"built"\s*:\s*true/, do: nil, else: "it could not be built: #{reason(entry)}"
    end
  end

  defp reason(entry) do
    case Regex.run(~r/"reason"\s*:\s*"((?:[^"\\]|\\.)*)"/, entry) do
      [_, reason] -> reason |> String.replace("\\n", "\n") |> String.replace("\\\"", "\"")
      nil -> "see `tierup build`"
    end
  end

  defp abi_of(text) do
    case Regex.run(~r/"abi"\s*:\s*"([0-9a-f]*)"/, text) do
      [_, abi] -> abi
      nil -> nil
    end
  end

  # `_build/…/priv` is a link to the package's own `priv`.
  defp record do
    case File.read(Path.join([priv(), "..", "built.json"])) do
      {:ok, text} -> {:ok, text}
      {:error, _} -> :none
    end
  end

  # The path of a variant's file, without an ending that the BEAM adds itself.
  def artifact("3:native"), do: Path.join(priv(), "native-#{Interface.abi()}.so")
  def artifact("2:core"), do: Path.join(priv(), "core-#{Interface.abi()}.so")
  def artifact(_), do: Path.join([priv(), "artifacts", Interface.package()])

  def command(variant), do: "tierup build --tiers #{variant}"

  defp priv do
    case :code.priv_dir(Interface.application()) do
      {:error, :bad_name} -> Path.join(__DIR__, "../../../priv")
      path -> List.to_string(path)
    end
  end
end

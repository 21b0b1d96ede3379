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
      :none -> Enum.all?(["3:native", "2:core", "1:pool"], &(files(&1) == []))
    end
  end

  # Whether the built files have another interface than this package.
  def stale? do
    case record() do
      {:ok, text} -> abi_of(text) not in [nil, Interface.abi()]
      _ -> false
    end
  end

  # Why a variant cannot run; nil if it was built, and its file is here.
  def why_not(variant) do
    case {record(), nothing?()} do
      {_, true} -> nothing()
      {{:ok, text}, _} -> if stale?(), do: stale(), else: entry(text, variant) || lack(variant)
      {:none, _} -> lack(variant)
    end
  end

  defp lack(variant) do
    if files(variant) == [], do: "priv has no #{file(variant)} for #{platform()}: #{remedy(variant)}", else: nil
  end

  defp stale, do: "the built files have another interface than this package: run `tierup build`"

  # The record has one line for each variant, as `tierup build` writes it. OTP reads JSON only since version 27.
  defp entry(text, variant) do
    case Regex.run(~r/"#{Regex.escape(variant)}"\s*:\s*\{([^{}]*)\}/, text) do
      nil -> "it was not built: #{remedy(variant)}"
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

  # The files of a variant for this system and processor: the one in `priv/`, or, in a package for several platforms, one
  # for each C library. Nobody is asked which C library the system has: a file for another one neither loads nor starts.
  # Libraries for musl come first, as Alpine may load others, too; programs for musl have the slower allocator.
  def files(variant) do
    libraries = if variant in ["3:native", "2:core"], do: ["-musl", "-gnu"], else: ["-gnu", "-musl"]
    folders = [priv() | Enum.map(libraries ++ [""], &Path.join(priv(), platform() <> &1))]
    for folder <- folders, path = Path.join(folder, file(variant)), File.exists?(path), do: path
  end

  defp file("3:native"), do: "native-#{Interface.abi()}.so"
  defp file("2:core"), do: "core-#{Interface.abi()}.so"
  defp file(_), do: "artifacts/#{Interface.package()}"

  # This system and processor, as the folders of a package for several platforms name them.
  defp platform do
    {_, system} = :os.type()
    [processor | _] = :erlang.system_info(:system_architecture) |> List.to_string() |> String.split("-")
    "#{system}-#{Map.get(%{"x86_64" => "x64", "amd64" => "x64", "aarch64" => "arm64"}, processor, processor)}"
  end

  # {:ok, path} of the first file for which `try_out` returns :ok, or {:error, words} with what it says of each.
  def first(variant, try_out) do
    tried =
      Enum.reduce_while(files(variant), [], fn path, tried ->
        case try_out.(path) do
          :ok -> {:halt, {:ok, path}}
          {:error, words} -> {:cont, ["#{path} #{words}" | tried]}
        end
      end)

    case tried do
      {:ok, path} -> {:ok, path}
      [] -> {:error, lack(variant)}
      tried -> {:error, tried |> Enum.reverse() |> Enum.join("\n  ")}
    end
  end

  def remedy(variant), do: "run `tierup build --tiers #{variant}`"

  defp priv do
    case :code.priv_dir(Interface.application()) do
      {:error, :bad_name} -> Path.join(__DIR__, "../../../priv")
      path -> List.to_string(path)
    end
  end
end

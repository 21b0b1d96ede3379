# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Native do
  @moduledoc false
  # `3:native`: a library of NIFs. `2:core`: one that runs the functions in Wasm. Text and bytes alone pass unencoded.

  alias {{module}}.Tierup.Built
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Nif
  alias {{module}}.Tierup.SandboxNif
  alias {{module}}.Tierup.Wire

  def load(variant) do
    nif = if variant == "2:core", do: SandboxNif, else: Nif

    with {:ok, path} <- Built.first(variant, &nif.load/1) do
      cond do
        nif.abi() != Interface.abi() ->
          {:error, "#{path} has another interface than this package: run `tierup build`"}

        reason = nif.ready() ->
          {:error, reason}

        true ->
          {:ok, nif}
      end
    end
  end

  def call(nif, number, arguments) do
    function = Interface.function(number)

    if function.direct and all_binaries?(arguments) do
      case nif.direct(number, arguments) do
        {0, value} -> {:ok, value}
        {tag, message} -> {:error, Wire.failure(tag, message, function)}
      end
    else
      with {:ok, bytes} <- Wire.encode_arguments(function, arguments) do
        Wire.read_answer(function, nif.call(number, bytes))
      end
    end
  end

  def ready(_), do: :ok

  defp all_binaries?([]), do: true
  defp all_binaries?([first | rest]) when is_binary(first), do: all_binaries?(rest)
  defp all_binaries?(_), do: false
end

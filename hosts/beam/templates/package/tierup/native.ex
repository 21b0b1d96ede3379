# Made by tierup; the same in every package.
defmodule Package.Tierup.Native do
  @moduledoc false
  # `3:native`: a library of NIFs. If a function has only text and bytes, they are passed as they are.

  alias Package.Tierup.Built
  alias Package.Tierup.Interface
  alias Package.Tierup.Nif
  alias Package.Tierup.Wire

  def load(variant) do
    path = Built.artifact(variant)

    case loaded(path) do
      :ok ->
        if Nif.abi() == Interface.abi(),
          do: {:ok, nil},
          else: {:error, "#{path} has another interface than this package: run `tierup build`"}

      {:error, {reason, text}} ->
        {:error, "#{path} cannot be loaded (#{reason}): #{text}"}
    end
  end

  defp loaded(path) do
    case Nif.load(path) do
      # Another process has loaded it.
      {:error, {:reload, _}} -> :ok
      other -> other
    end
  end

  def call(_, number, arguments) do
    function = Interface.function(number)

    if function.direct and all_binaries?(arguments) do
      case Nif.direct(number, arguments) do
        {0, value} -> {:ok, value}
        {tag, message} -> {:error, Wire.failure(tag, message, function)}
      end
    else
      with {:ok, bytes} <- Wire.encode_arguments(function, arguments) do
        Wire.read_answer(function, Nif.call(number, bytes))
      end
    end
  end

  def ready(_), do: :ok

  defp all_binaries?([]), do: true
  defp all_binaries?([first | rest]) when is_binary(first), do: all_binaries?(rest)
  defp all_binaries?(_), do: false
end

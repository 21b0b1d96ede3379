# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Health do
  @moduledoc false
  # `[health]` of tierup.toml: a golden call, and the SHA-256 of each answer that is right.

  alias {{module}}.HealthError
  alias {{module}}.Tierup.Binding
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Wire

  def check do
    case Interface.health() do
      nil -> error("#{Interface.package()} has no golden call: give it a [health] in tierup.toml")
      {number, arguments, right} -> check(Interface.function(number), arguments, right)
    end
  end

  defp check(function, arguments, right) do
    with {:ok, {tier, variant, state, _}} <- Binding.current() do
      where = "the golden call of #{function.name} at tier #{tier}"

      case variant.call(state, function.number, Wire.decode_arguments(function, arguments)) do
        {:ok, value} -> compare(function, value, right, where)
        {:error, error} -> error("#{where} failed: #{Exception.message(error)}")
      end
    end
  end

  # The digest of text or bytes is that of the value itself; otherwise it is that of the encoded value.
  defp compare(function, value, right, where) do
    with {:ok, encoded} <- Wire.encode_output(function, value) do
      content = if function.raw, do: value, else: encoded
      digest = :crypto.hash(:sha256, content) |> Base.encode16(case: :lower)

      if digest in right,
        do: :ok,
        else: error("#{where} gave a wrong answer: its SHA-256 is #{digest}, expected #{Enum.join(right, " or ")}")
    else
      {:error, error} -> error("#{where} gave a wrong answer: #{Exception.message(error)}")
    end
  end

  defp error(message), do: {:error, %HealthError{message: message}}
end

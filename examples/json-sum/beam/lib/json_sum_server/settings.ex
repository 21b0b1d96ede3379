defmodule JsonSumServer.Settings do
  @moduledoc "What the environment says. What makes no sense is an error, and the server does not start."

  defstruct [:host, :port, :downstream]

  def read do
    %__MODULE__{
      host: text("HOST", "127.0.0.1"),
      port: whole_number("PORT", 3000, 0..65_535),
      downstream: %{
        url: http_address("DOWNSTREAM_URL", "http://127.0.0.1:4000"),
        # Milliseconds in which its whole answer must be there.
        timeout: whole_number("DOWNSTREAM_TIMEOUT_MS", 5_000, 1..600_000)
      }
    }
  end

  defp text(name, otherwise) do
    case System.get_env(name, "") do
      "" -> otherwise
      text -> text
    end
  end

  defp whole_number(name, otherwise, range) do
    asked = text(name, to_string(otherwise))

    case asked =~ ~r/\A[0-9]{1,9}\z/ and String.to_integer(asked) do
      number when is_integer(number) and number >= range.first and number <= range.last -> number
      _ -> raise ArgumentError, "#{name} must be a whole number from #{range.first} to #{range.last}, not #{inspect(asked)}"
    end
  end

  # An address to which a path can be appended.
  defp http_address(name, otherwise) do
    asked = text(name, otherwise)

    with true <- asked =~ ~r/\Ahttp:\/\/[^\s\/?#]+(\/[^\s?#]*)?\z/,
         {:ok, %{host: host, port: port}} when host not in [nil, ""] and port in 1..65_535 <- URI.new(asked) do
      String.trim_trailing(asked, "/")
    else
      _ -> raise ArgumentError, "#{name} must be an address such as #{otherwise}, not #{inspect(asked)}"
    end
  end
end

defmodule Server do
  @moduledoc "A small server: GET /slug?text=…"

  use Application

  @impl true
  def start(_type, _arguments) do
    # TIERUP_TIER decides how slugify runs: 0 is the baseline, 3:native a library of NIFs, …
    {{module}}.bind(baseline: Server.Baseline)
    port = String.to_integer(System.get_env("PORT", "8080"))
    {:ok, host} = System.get_env("HOST", "127.0.0.1") |> String.to_charlist() |> :inet.parse_address()

    with {:ok, supervisor} <- Supervisor.start_link([{Server.Http, {host, port}}], strategy: :one_for_one) do
      IO.puts("listening on http://#{:inet.ntoa(host)}:#{port} (tier #{{{module}}.tier()})")
      {:ok, supervisor}
    end
  end

  @doc "The status and the text for a path with its query."
  def answer(target) do
    uri = URI.parse(target)

    case uri.path do
      "/slug" -> slug(parameter(uri.query || ""))
      "/livez" -> {200, "ok"}
      "/readyz" -> ready()
      _ -> {404, "not found"}
    end
  end

  def known?(target), do: URI.parse(target).path in ["/slug", "/livez", "/readyz"]

  defp slug(nil), do: {400, "query parameter \"text\" is missing"}

  defp slug(text) do
    case {{module}}.slugify(text) do
      {:ok, slug} ->
        {200, slug}

      # The function's own error is for the caller, as is text that is not UTF-8. Other messages may be private.
      {:error, %module{} = error} when module in [{{module}}.CallError, ArgumentError] ->
        {400, Exception.message(error)}

      {:error, error} ->
        raise error
    end
  end

  defp ready do
    case {{module}}.check_health() do
      :ok ->
        {200, "ok"}

      {:error, error} ->
        IO.puts(:stderr, "not ready: #{Exception.message(error)}")
        {503, "not ready"}
    end
  end

  # The first `text` that is not empty.
  defp parameter(query) do
    query
    |> String.split("&")
    |> Enum.find_value(fn
      "text=" <> text when text != "" -> URI.decode_www_form(text)
      _ -> nil
    end)
  rescue
    # The percent-encoding is broken.
    ArgumentError -> nil
  end
end

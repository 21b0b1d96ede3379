defmodule JsonSumServer.App do
  @moduledoc "What the server answers. `post` hands a sum on: `:ok`, or `{:error, words}`."

  alias JsonSumServer.Envelope

  @allowed %{"/" => ["POST"], "/livez" => ["GET", "HEAD"], "/readyz" => ["GET", "HEAD"]}

  def handle(request, post) do
    # Read whatever the answer is: a connection that is closed on unread bytes may take the answer with it.
    envelope = Envelope.read(request)
    method = :mochiweb_request.get(:method, request) |> to_string()
    target = :mochiweb_request.get(:raw_path, request) |> List.to_string()
    [path | _] = String.split(target, "?", parts: 2)
    {status, headers, body} = answered(method, path, envelope, post)
    :mochiweb_request.respond({status, headers, body}, request)
  end

  defp answered(method, path, envelope, post) do
    answer(method, path, envelope, post)
  rescue
    error ->
      IO.puts(:stderr, "items could not be summed up: #{Exception.message(error)}")
      text(500, "failed to sum up the items")
  end

  defp answer(_, _, {:refused, 431, words}, _), do: text(431, words)
  defp answer(_, path, _, _) when not is_map_key(@allowed, path), do: text(404, "not found")

  defp answer(method, path, envelope, post) do
    allowed = @allowed[path]

    cond do
      method not in allowed -> not_allowed(allowed)
      path == "/" -> sum_up(envelope, post)
      path == "/livez" -> text(200, "ok")
      path == "/readyz" -> ready()
    end
  end

  defp sum_up({:refused, status, words}, _), do: text(status, words)

  defp sum_up({:ok, body}, post) do
    with {:ok, sum} <- JsonSum.sum_items(body),
         {:posted, :ok} <- {:posted, post.(sum)} do
      {200, [{"Content-Type", "application/json"}], ~s({"ok":true})}
    else
      {:error, %JsonSum.CallError{message: message}} -> text(400, message)
      {:error, error} -> raise error
      {:posted, {:error, words}} -> text(502, words)
    end
  end

  defp ready do
    case JsonSum.check_health() do
      :ok -> text(200, "ok")
      {:error, error} -> text(503, Exception.message(error))
    end
  end

  defp not_allowed(allowed) do
    {status, headers, body} = text(405, "method not allowed")
    {status, [{"Allow", Enum.join(allowed, ", ")} | headers], body}
  end

  defp text(status, words), do: {status, [{"Content-Type", "text/plain; charset=utf-8"}], words}
end

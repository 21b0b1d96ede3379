defmodule QrServer.App do
  @moduledoc "What the server answers. `answer` knows nothing of mochiweb."

  alias QrServer.Query

  @most_bytes 512
  @paths ["/qrcode", "/livez", "/readyz"]

  def handle(request) do
    method = :mochiweb_request.get(:method, request) |> to_string()
    target = :mochiweb_request.get(:raw_path, request) |> List.to_string()
    {status, type, body} = answered(method, target)
    headers = [{"Content-Type", type} | if(status == 405, do: [{"Allow", "GET, HEAD"}], else: [])]
    :mochiweb_request.respond({status, headers, body}, request)
  end

  defp answered(method, target) do
    [path | query] = String.split(target, "?", parts: 2)
    answer(method, path, Enum.at(query, 0, ""))
  rescue
    error ->
      IO.puts(:stderr, "a code could not be made: #{Exception.message(error)}")
      text(500, "failed to generate the QR code")
  end

  def answer(method, path, _) when path in @paths and method not in ["GET", "HEAD"], do: text(405, "method not allowed")
  def answer(_, "/qrcode", query), do: qrcode(Query.values_of(query, "text"))
  def answer(_, "/livez", _), do: text(200, "ok")

  def answer(_, "/readyz", _) do
    case Qr.check_health() do
      :ok -> text(200, "ok")
      {:error, error} -> text(503, Exception.message(error))
    end
  end

  def answer(_, _, _), do: text(404, "not found")

  defp qrcode(:malformed), do: text(400, "malformed query string")
  defp qrcode({:ok, [text]}) when byte_size(text) > @most_bytes, do: text(400, "text must be <= #{@most_bytes} bytes")
  defp qrcode({:ok, [text]}) when text != "", do: {200, "image/png", Qr.generate_qr_code!(text)}
  defp qrcode({:ok, _}), do: text(400, "missing \"text\" query param")

  defp text(status, words), do: {status, "text/plain; charset=utf-8", words}
end

defmodule JsonSumServer.Envelope do
  @moduledoc "What is around a body: how large headers may be, and how a body is read. mochiweb would take more."

  @most_bytes 1_048_576
  # What is more than that is not even read to be thrown away.
  @most_read 8 * @most_bytes
  @most_headers 100
  @most_header_bytes 16 * 1024
  @part 65_536

  @doc "The body, whatever its type, with a length or in chunks; or with what status it is refused, and why."
  def read(request) do
    with :ok <- headers(request),
         {:ok, body} <- body(request) do
      if compressed?(request) and has_body?(request), do: {:refused, 415, "the body must not be compressed"}, else: {:ok, body}
    end
  end

  defp headers(request) do
    headers = :mochiweb_headers.to_list(:mochiweb_request.get(:headers, request))
    line = :mochiweb_request.get(:raw_path, request)
    bytes = Enum.reduce(headers, length(line), fn {name, value}, sum -> sum + size(name) + size(value) end)

    if length(headers) <= @most_headers and bytes <= @most_header_bytes,
      do: :ok,
      else: {:refused, 431, "more than #{@most_headers} headers, or #{@most_header_bytes} bytes of them"}
  end

  defp size(name) when is_atom(name), do: name |> Atom.to_string() |> byte_size()
  defp size(text), do: IO.iodata_length(text)

  defp body(request) do
    case :mochiweb_request.stream_body(@part, &add/2, {0, []}, request) do
      # Without a body, and with one of length 0.
      nothing when nothing in [:undefined, ""] -> {:ok, ""}
      {size, _} when size > @most_bytes -> {:refused, 413, "the body must be <= #{@most_bytes} bytes"}
      {_, parts} -> {:ok, parts |> Enum.reverse() |> IO.iodata_to_binary()}
    end
  catch
    :too_large ->
      close_after_answer()
      {:refused, 413, "the body must be <= #{@most_bytes} bytes"}

    :exit, {:unknown_transfer_encoding, _} ->
      close_after_answer()
      {:refused, 400, "the body's transfer encoding is not known"}
  end

  # The rest of the body is still to come. mochiweb looks at this mark.
  defp close_after_answer, do: Process.put(:mochiweb_request_force_close, true)

  # The last part is empty, or the trailers behind the chunks.
  defp add({0, _}, so_far), do: so_far
  defp add({size, _}, {read, _}) when read + size > @most_read, do: throw(:too_large)
  defp add({size, _}, {read, _}) when read + size > @most_bytes, do: {read + size, []}
  defp add({size, part}, {read, parts}), do: {read + size, [part | parts]}

  defp compressed?(request) do
    encoding = :mochiweb_request.get_header_value(~c"content-encoding", request)
    encoding != :undefined and (encoding |> to_string() |> String.trim() |> String.downcase()) not in ["", "identity"]
  end

  defp has_body?(request) do
    Enum.any?([~c"content-length", ~c"transfer-encoding"], &(:mochiweb_request.get_header_value(&1, request) != :undefined))
  end
end

defmodule JsonSumServer.Downstream.Exchange do
  @moduledoc "One POST over a connection: what is written, and how its answer is read to its end. Sockets are passive."

  @doc "What each request begins with."
  def head(path, host) do
    "POST #{path} HTTP/1.1\r\nHost: #{host}\r\nContent-Type: application/json\r\nContent-Length: "
  end

  @doc "The status, and whether the connection may be used again."
  def post(socket, head, body, deadline) do
    with :ok <- :gen_tcp.send(socket, [head, Integer.to_string(byte_size(body)), "\r\n\r\n", body]) do
      answer(socket, deadline)
    end
  end

  @doc "Milliseconds until then."
  def left(deadline), do: max(0, deadline - System.monotonic_time(:millisecond))

  defp answer(socket, deadline) do
    with {:ok, {:http_response, version, status, _}} <- receive_from(socket, 0, deadline),
         {:ok, headers} <- headers(socket, deadline, %{}) do
      cond do
        # Another answer follows.
        status in 100..199 -> answer(socket, deadline)
        # These have no body.
        status in [204, 304] -> {:ok, status, kept(version, Map.put(headers, "content-length", "0"))}
        true -> with(:ok <- body(socket, headers, deadline), do: {:ok, status, kept(version, headers)})
      end
    else
      {:ok, other} -> {:error, {:not_http, elem(other, 0)}}
      error -> error
    end
  end

  defp headers(socket, deadline, headers) do
    case receive_from(socket, 0, deadline) do
      {:ok, :http_eoh} -> {:ok, headers}
      {:ok, {:http_header, _, name, _, value}} -> headers(socket, deadline, Map.put(headers, name(name), String.downcase(value)))
      {:ok, other} -> {:error, {:not_http, elem(other, 0)}}
      error -> error
    end
  end

  defp name(name), do: name |> to_string() |> String.downcase()

  defp kept({1, 1}, %{"connection" => "close"}), do: :close
  defp kept({1, 1}, %{"transfer-encoding" => "chunked"}), do: :keep
  defp kept({1, 1}, %{"content-length" => _}), do: :keep
  defp kept(_, _), do: :close

  # What is in it does not count.
  defp body(socket, %{"transfer-encoding" => "chunked"}, deadline), do: chunks(socket, deadline)

  defp body(socket, %{"content-length" => length}, deadline) do
    case Integer.parse(length) do
      {length, ""} when length >= 0 -> exactly(socket, length, deadline)
      _ -> {:error, :bad_content_length}
    end
  end

  defp body(socket, _, deadline) do
    :inet.setopts(socket, packet: :raw)
    until_closed(socket, deadline)
  end

  @part 1_048_576

  defp exactly(socket, length, deadline) do
    with :ok <- :inet.setopts(socket, packet: :raw),
         :ok <- parts(socket, length, deadline) do
      :inet.setopts(socket, packet: :http_bin)
    end
  end

  defp parts(_, 0, _), do: :ok

  defp parts(socket, length, deadline) do
    with {:ok, data} <- receive_from(socket, min(length, @part), deadline), do: parts(socket, length - byte_size(data), deadline)
  end

  defp until_closed(socket, deadline) do
    case receive_from(socket, 0, deadline) do
      {:ok, _} -> until_closed(socket, deadline)
      {:error, :closed} -> :ok
      error -> error
    end
  end

  defp chunks(socket, deadline) do
    with :ok <- :inet.setopts(socket, packet: :line),
         {:ok, line} <- receive_from(socket, 0, deadline),
         {size, _} when size >= 0 <- Integer.parse(line, 16),
         :ok <- chunk(socket, size, deadline) do
      if size == 0, do: :ok, else: chunks(socket, deadline)
    else
      {:error, reason} -> {:error, reason}
      _ -> {:error, :bad_chunk}
    end
  end

  # Trailers and an empty line.
  defp chunk(socket, 0, deadline) do
    case receive_from(socket, 0, deadline) do
      {:ok, line} when line in ["\r\n", "\n"] -> :inet.setopts(socket, packet: :http_bin)
      {:ok, _} -> chunk(socket, 0, deadline)
      error -> error
    end
  end

  # With the line end behind it.
  defp chunk(socket, size, deadline) do
    with :ok <- :inet.setopts(socket, packet: :raw), do: parts(socket, size + 2, deadline)
  end

  defp receive_from(socket, length, deadline), do: :gen_tcp.recv(socket, length, left(deadline))
end

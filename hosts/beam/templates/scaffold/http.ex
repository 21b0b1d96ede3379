defmodule Server.Http do
  @moduledoc "HTTP/1.1 over gen_tcp, enough for a small server: GET and HEAD, connections that stay open."

  use Task, restart: :permanent

  # A request's body is read up to this many bytes; with a longer one, the connection is closed.
  @longest_body 65_536

  def start_link({host, port}) do
    # A line has to fit into the buffer.
    options =
      [:binary, ip: host, packet: :http_bin, buffer: 65_536] ++
        [active: false, reuseaddr: true, backlog: 512, nodelay: true]

    case :gen_tcp.listen(port, options) do
      {:ok, listener} -> Task.start_link(fn -> accept(listener) end)
      {:error, reason} -> {:error, "cannot listen on #{:inet.ntoa(host)}:#{port}: #{:inet.format_error(reason)}"}
    end
  end

  defp accept(listener) do
    case :gen_tcp.accept(listener) do
      {:ok, socket} ->
        # Each connection has its own process, so that an error in one does not affect the others.
        connection = spawn(fn -> receive(do: (:go -> serve(socket))) end)
        :gen_tcp.controlling_process(socket, connection)
        send(connection, :go)

      {:error, reason} when reason in [:emfile, :enfile] ->
        Process.sleep(100)

      {:error, :closed} ->
        exit(:normal)

      {:error, _} ->
        :ok
    end

    accept(listener)
  end

  defp serve(socket) do
    with {:ok, {:http_request, method, target, _}} <- :gen_tcp.recv(socket, 0),
         {:ok, headers} <- headers(socket, %{}),
         :ok <- body(socket, headers) do
      close? = String.downcase(headers["connection"] || "") == "close"
      respond(socket, to_string(method), path(target), close?)
      if close?, do: :gen_tcp.close(socket), else: serve(socket)
    else
      {:ok, {:http_error, _}} -> send_answer(socket, 400, "bad request", true, [], true)
      _ -> :gen_tcp.close(socket)
    end
  end

  defp path({:abs_path, path}), do: path
  defp path({:absoluteURI, _, _, _, path}), do: path
  defp path(_), do: "*"

  defp headers(socket, headers) do
    case :gen_tcp.recv(socket, 0) do
      {:ok, :http_eoh} -> {:ok, headers}
      {:ok, {:http_header, _, name, _, value}} -> headers(socket, Map.put(headers, name |> to_string() |> String.downcase(), value))
      other -> other
    end
  end

  # The server does not use the body, but must read it, as the next request follows it.
  defp body(socket, headers) do
    case Integer.parse(headers["content-length"] || "0") do
      {0, ""} when not is_map_key(headers, "transfer-encoding") ->
        :ok

      {length, ""} when length in 1..@longest_body ->
        :inet.setopts(socket, packet: :raw)
        with {:ok, _} <- :gen_tcp.recv(socket, length), do: :inet.setopts(socket, packet: :http_bin)

      _ ->
        {:error, :body}
    end
  end

  defp respond(socket, method, target, close?) when method in ["GET", "HEAD"] do
    {status, text} =
      try do
        Server.answer(target)
      rescue
        error ->
          IO.puts(:stderr, "#{target}: #{Exception.message(error)}")
          {500, "internal error"}
      end

    send_answer(socket, status, text, method == "GET", [], close?)
  end

  defp respond(socket, _, target, close?) do
    if Server.known?(target),
      do: send_answer(socket, 405, "method not allowed", true, ["allow: GET, HEAD\r\n"], close?),
      else: send_answer(socket, 404, "not found", true, [], close?)
  end

  @reasons %{200 => "OK", 400 => "Bad Request", 404 => "Not Found", 405 => "Method Not Allowed", 500 => "Internal Server Error", 503 => "Service Unavailable"}

  defp send_answer(socket, status, text, body?, headers, close?) do
    # The answer is sent in one piece, so that no packet waits for another.
    :gen_tcp.send(socket, [
      "HTTP/1.1 #{status} #{@reasons[status]}\r\ncontent-type: text/plain; charset=utf-8\r\n",
      "content-length: #{byte_size(text)}\r\n",
      headers,
      if(close?, do: "connection: close\r\n", else: []),
      "\r\n",
      if(body?, do: text, else: [])
    ])
  end
end

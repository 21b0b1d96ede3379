# Answers each request with the results of the functions in `lib/words.ex`.
defmodule Server do
  def start do
    {:ok, listener} = :gen_tcp.listen(String.to_integer(System.fetch_env!("PORT")), [:binary, ip: {127, 0, 0, 1}, packet: :http_bin, active: false, reuseaddr: true])
    accept(listener)
  end

  defp accept(listener) do
    {:ok, socket} = :gen_tcp.accept(listener)
    spawn(fn -> serve(socket, "/") end)
    accept(listener)
  end

  defp serve(socket, target) do
    case :gen_tcp.recv(socket, 0) do
      {:ok, {:http_request, _, {:abs_path, target}, _}} -> serve(socket, target)
      {:ok, :http_eoh} -> answer(socket, target)
      {:ok, _} -> serve(socket, target)
      {:error, _} -> :gen_tcp.close(socket)
    end
  end

  defp answer(socket, target) do
    %{"text" => text} = URI.decode_query(URI.parse(target).query)
    body = text |> all() |> inspect()
    :gen_tcp.send(socket, ["HTTP/1.1 200 OK\r\nContent-Length: #{byte_size(body)}\r\n\r\n", body])
    serve(socket, "/")
  end

  defp all(text) do
    words = String.split(text)
    tally = Words.tally(text)
    {:ok, joined} = Words.join(words)

    [
      tally.words,
      joined,
      Words.shout(text),
      Words.longest(words),
      Words.longest(words, 3),
      Words.weigh(%{"size" => tally.words}, %Words.Scale{factor: 1.5}),
      Words.bounds(text),
      Words.packed(text) |> byte_size()
    ]
  rescue
    error -> Exception.message(error)
  end
end

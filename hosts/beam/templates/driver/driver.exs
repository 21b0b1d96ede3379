# Made by tierup from tierup.toml; changes here are lost at the next build.
#
# Makes calls on request (docs/driver.md of tierup): requests come on file descriptor 3, answers go out on 4. Calls go
# through the package's public functions, so that they cross what a server's calls cross.

defmodule Tierup.Driver do
  @package Path.expand("..", __DIR__)

  # The server's own functions by label; the one without a label is tier 0.
  @baselines {{baselines}}

  @outcomes %{error: 1, panic: 2, refused: 3, lost: 4}

  def serve do
    ensure_package()
    port = Port.open({:fd, 3, 4}, [:binary, :stream, :eof])
    serve(port, "", %{})
  end

  # `bound` holds the loaded tier of each row.
  defp serve(port, <<length::little-32, request::binary-size(length), rest::binary>>, bound) do
    {answer, bound} = answer(request, bound)
    Port.command(port, answer)
    serve(port, rest, bound)
  end

  defp serve(port, bytes, bound) do
    case more(port, [bytes], byte_size(bytes), wanted(bytes)) do
      :eof -> :ok
      bytes -> serve(port, bytes, bound)
    end
  end

  # The size of the next request in bytes, as far as it is known.
  defp wanted(<<length::little-32, _::binary>>), do: 4 + length
  defp wanted(_), do: 4

  # Reads until there are `wanted` bytes. A large request comes in many parts, which are joined only once.
  defp more(_, parts, size, wanted) when size >= wanted, do: parts |> Enum.reverse() |> IO.iodata_to_binary()

  defp more(port, parts, size, wanted) do
    receive do
      {^port, {:data, data}} -> more(port, [data | parts], size + byte_size(data), wanted)
      {^port, :eof} -> :eof
    end
  end

  defp answer(<<length::little-32, row::binary-size(length), number::little-32, rest::binary>>, bound) do
    <<repeat::little-32, length::little-32, encoded::binary-size(length)>> = rest
    {answer, bound} = answer(row, number, repeat, encoded, bound)
    {[<<IO.iodata_length(answer)::little-32>>, answer], bound}
  end

  # Requests that are made at the same time. Their rows are bound already.
  defp answer("together", _, _, <<_::32, requests::binary>>, bound) do
    requests = for <<length::little-32, request::binary-size(length) <- requests>>, do: request
    tasks = for request <- requests, do: Task.async(fn -> request |> answer(bound) |> elem(0) end)
    {ok(0, Task.await_many(tasks, :infinity)), bound}
  end

  # There is nothing to close.
  defp answer("close " <> row, _, _, _, bound) do
    with {:ok, {tier, _, _, metrics}, bound} <- chosen(row, bound) do
      lines = for {name, value} <- {{module}}.Tierup.Metrics.read(metrics, tier), do: "#{name}=#{value}\n"
      {ok(0, lines), bound}
    else
      {:lost, message} -> {failed(:lost, message), bound}
    end
  end

  defp answer(row, number, repeat, encoded, bound) do
    with {:ok, chosen, bound} <- chosen(row, bound) do
      {{module}}.Tierup.Binding.put(chosen)
      {call(row, {{module}}.Tierup.Interface.function(number), repeat, encoded), bound}
    else
      {:lost, message} -> {failed(:lost, message), bound}
    end
  end

  defp call(row, function, repeat, encoded) do
    arguments = {{module}}.Tierup.Wire.decode_arguments(function, encoded)
    start = System.monotonic_time(:nanosecond)
    answer = repeat(function.name, arguments, repeat)
    nanoseconds = System.monotonic_time(:nanosecond) - start

    with {:ok, value} <- answer,
         # Only a baseline can return a value that does not fit the signature.
         {:encoded, {:ok, bytes}} <- {:encoded, {{module}}.Tierup.Wire.encode_output(function, value)} do
      ok(nanoseconds, bytes)
    else
      {:encoded, {:error, error}} -> failed(:lost, Exception.message(error))
      {:error, error} -> failed(outcome(row, error), Exception.message(error))
    end
  end

  defp repeat(name, arguments, 1), do: apply({{module}}, name, arguments)

  defp repeat(name, arguments, repeat) do
    apply({{module}}, name, arguments)
    repeat(name, arguments, repeat - 1)
  end

  defp outcome(_, %{{module}}.Unavailable{}), do: :lost
  defp outcome(_, %{{module}}.CallError{}), do: :error
  # Any other error of a baseline is its own error.
  defp outcome("0" <> _, _), do: :error
  defp outcome(_, %{{module}}.PanicError{}), do: :panic
  defp outcome(_, %ArgumentError{}), do: :refused
  defp outcome(_, _), do: :lost

  defp ok(nanoseconds, content), do: [0, <<nanoseconds::little-64, IO.iodata_length(content)::little-32>>, content]

  defp failed(outcome, message) do
    [@outcomes[outcome], <<0::64, byte_size(message)::little-32>>, message]
  end

  # The runner of a row, which is loaded when the row is first requested.
  defp chosen(row, bound) when is_map_key(bound, row), do: {:ok, bound[row], bound}

  defp chosen(row, bound) do
    {own, others} = Map.pop(@baselines, "")
    # The baselines of other rows need not exist.
    others = Map.take(others, [String.replace_prefix(row, "0:", "")])
    own = if row in ["0", "0:free", "0:memo"], do: own
    {_, variant, state, _} = chosen = {{module}}.Tierup.Tiers.choose(tier: row, baseline: own, baselines: others)

    # The time of calls must not include the start.
    case variant.ready(state) do
      :ok -> {:ok, chosen, Map.put(bound, row, chosen)}
      {:error, error} -> {:lost, Exception.message(error)}
    end
  rescue
    error -> {:lost, Exception.message(error)}
  end

  # If a server does not depend on the package yet, it has not compiled the package.
  defp ensure_package do
    unless Code.ensure_loaded?({{module}}) do
      {_, 0} = System.cmd("mix", ["compile"], cd: @package, into: IO.stream(:stderr, :line))
      [folder] = Path.wildcard(Path.join(@package, "_build/*/lib/*/ebin")) |> Enum.take(1)
      Code.prepend_path(folder)
    end
  end
end

Tierup.Driver.serve()
# The programs of a pool exit with this process.
System.halt(0)

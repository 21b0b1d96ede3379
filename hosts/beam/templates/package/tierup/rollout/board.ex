# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Board do
  @moduledoc false
  # What callers and the rollout's processes share, without a lock or a message: counts, and a few numbers.

  alias {{module}}.Tierup.Limits

  @kinds [:calls, :sampled, :too_large, :refused, :dropped, :shared, :erred, :errors, :panics, :timeouts, :lost] ++
           [:pairs, :ahead, :behind, :squares, :control_ns, :candidate_ns]

  # The numbers, by their places. The control file's content expires at `fresh`, in milliseconds of the monotonic clock,
  # whatever the reason why it was not read again. Until `connected` is 1, no call is sent; `waiting` bytes are still to be
  # sent. `refusal` is 1 if a reason for refused arguments was noted.
  @places [:fresh, :connected, :waiting, :refusal]

  # `began` is in milliseconds since 1970. `key` is for hashes if the file has none: an input then stays with one side for
  # the node's lifetime.
  defstruct [:path, :folder, :counts, :numbers, :began, :key]

  def new(path) do
    path = Path.expand(path)

    board = %__MODULE__{
      path: path,
      folder: path <> ".evidence",
      counts: :counters.new(length(@kinds), [:write_concurrency]),
      numbers: :atomics.new(length(@places), signed: true),
      began: System.os_time(:millisecond),
      key: Base.encode16(:crypto.strong_rand_bytes(16))
    }

    # The clock may begin below 0.
    put(board, :fresh, Limits.now() - 1)
    board
  end

  def count(board, kind, by \\ 1), do: :counters.add(board.counts, index(kind), by)

  for {kind, index} <- Enum.with_index(@kinds, 1), do: defp(index(unquote(kind)), do: unquote(index))

  def get(board, name), do: :atomics.get(board.numbers, place(name))
  # Returns the number before.
  def put(board, name, value), do: :atomics.exchange(board.numbers, place(name), value)
  def add(board, name, value), do: :atomics.add_get(board.numbers, place(name), value)

  for {name, place} <- Enum.with_index(@places, 1), do: defp(place(unquote(name)), do: unquote(place))

  # The machine's whole name, as the other hosts and the judge have it: `:inet` leaves out the domain.
  def machine do
    case File.read("/proc/sys/kernel/hostname") do
      {:ok, name} -> String.trim_trailing(name)
      {:error, _} -> :inet.gethostname() |> elem(1) |> List.to_string()
    end
  end

  # All counts as JSON, which OTP writes only since version 27.
  def json(board, candidate, refusal) do
    counts = for {kind, index} <- Enum.with_index(@kinds, 1), do: {kind, :counters.get(board.counts, index)}
    words = [process: String.to_integer(System.pid()), began: board.began, machine: machine(), candidate: candidate, refusal: refusal]
    fields = for {name, value} <- words ++ counts, value != nil, do: "#{text(to_string(name))}:#{value(value)}"
    "{#{Enum.join(fields, ",")}}"
  end

  defp value(number) when is_integer(number), do: to_string(number)
  defp value(text), do: text(text)

  defp text(text) do
    escaped =
      for <<char::utf8 <- text>>, into: "" do
        if char in [?", ?\\] or char < 0x20, do: "\\u" <> (char |> Integer.to_string(16) |> String.pad_leading(4, "0")), else: <<char::utf8>>
      end

    "\"#{escaped}\""
  end
end

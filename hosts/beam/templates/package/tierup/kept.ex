# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Kept do
  @moduledoc false
  # The answers that `0:memo` keeps, limited in number and bytes. The least recently used one is removed first.
  #
  # Callers read the table themselves, and note the time; one process adds and removes entries.

  use GenServer

  alias {{module}}.Tierup.Limits
  alias {{module}}.Tierup.MemoCounts

  @most_entries 1_000
  @most_bytes 64 * 1024 * 1024

  # The approximate size of an entry without its key and value.
  @entry_bytes 300

  # `order` has {time, key} of each entry, which may have been used since. `generation` belongs to `functions`.
  defstruct [:most_entries, :most_bytes, :functions, :generation, bytes: 0, order: :gb_sets.new()]

  # Begins a cache for these functions, and returns the generation, which begins their keys.
  def begin(functions) do
    limits = [
      most_entries: Limits.whole_number("TIERUP_MEMO_ENTRIES") || @most_entries,
      most_bytes: Limits.whole_number("TIERUP_MEMO_BYTES") || @most_bytes
    ]

    :ok = {{module}}.Tierup.Application.ensure_child(%{id: __MODULE__, start: {__MODULE__, :start_link, [limits]}})
    GenServer.call(__MODULE__, {:begin, functions}, :infinity)
  end

  def start_link(limits), do: GenServer.start_link(__MODULE__, limits, name: __MODULE__)

  # {:ok, value}, or nil. The entry becomes the last one to be removed.
  def get(key) do
    case :ets.lookup(__MODULE__, key) do
      [{_, value, _, _}] ->
        :ets.update_element(__MODULE__, key, {4, System.monotonic_time()})
        {:ok, value}

      [] ->
        nil
    end
  rescue
    # There is no table: its process has ended, and its supervisor starts another.
    ArgumentError -> nil
  end

  # Returns after the value is kept, so that no queue of answers can grow.
  def put(key, value) do
    GenServer.call(__MODULE__, {:put, key, whole(value)}, :infinity)
  catch
    :exit, _ -> :ok
  end

  # A part of a binary would keep the whole binary alive, so it is copied.
  defp whole(value) when is_binary(value) do
    if :binary.referenced_byte_size(value) > byte_size(value), do: :binary.copy(value), else: value
  end

  defp whole([first | rest]), do: [whole(first) | whole(rest)]
  defp whole(value) when is_tuple(value), do: value |> Tuple.to_list() |> whole() |> List.to_tuple()
  defp whole(value) when is_map(value), do: :maps.from_list(for {key, of_key} <- :maps.to_list(value), do: {whole(key), whole(of_key)})
  defp whole(value), do: value

  @impl true
  def init(limits) do
    :ets.new(__MODULE__, [:named_table, :public, read_concurrency: true, write_concurrency: true])
    MemoCounts.watch(self())
    {:ok, struct!(__MODULE__, limits)}
  end

  @impl true
  def handle_call({:begin, functions}, _, %{functions: functions, generation: generation} = kept) when generation != nil do
    {:reply, generation, kept}
  end

  def handle_call({:begin, functions}, _, kept) do
    :ets.delete_all_objects(__MODULE__)
    generation = System.unique_integer()
    {:reply, generation, %{kept | functions: functions, generation: generation, bytes: 0, order: :gb_sets.new()}}
  end

  # The call began before another baseline was bound, so its answer is dropped.
  def handle_call({:put, {generation, _, _}, _}, _, kept) when kept.generation not in [nil, generation], do: {:reply, :ok, kept}

  # A restarted process has no generation yet, and takes that of the key.
  def handle_call({:put, {generation, _, bytes} = key, value}, _, kept) do
    size = @entry_bytes + byte_size(bytes) + :erlang.external_size(value)
    kept = dropped(%{kept | generation: generation}, key)
    {:reply, :ok, if(size > kept.most_bytes, do: kept, else: kept |> added(key, value, size) |> bounded())}
  end

  @impl true
  def handle_info(:write_counts, kept) do
    MemoCounts.write(:ets.info(__MODULE__, :size), kept.bytes)
    {:noreply, kept}
  end

  def handle_info(_, kept), do: {:noreply, kept}

  defp added(kept, key, value, size) do
    now = System.monotonic_time()
    :ets.insert(__MODULE__, {key, value, size, now})
    %{kept | bytes: kept.bytes + size, order: :gb_sets.add_element({now, key}, kept.order)}
  end

  # The entry's place in `order` is found and removed later.
  defp dropped(kept, key) do
    case :ets.take(__MODULE__, key) do
      [{_, _, size, _}] -> %{kept | bytes: kept.bytes - size}
      [] -> kept
    end
  end

  defp bounded(kept) do
    if kept.bytes > kept.most_bytes or :ets.info(__MODULE__, :size) > kept.most_entries,
      do: kept |> without_oldest() |> bounded(),
      else: kept
  end

  # An entry that was used since it got its place gets a new one. The first other entry is the oldest.
  defp without_oldest(kept) do
    {{since, key}, order} = :gb_sets.take_smallest(kept.order)
    kept = %{kept | order: order}

    case :ets.lookup(__MODULE__, key) do
      [{_, _, _, used}] when used > since -> without_oldest(%{kept | order: :gb_sets.add_element({used, key}, order)})
      [_] -> dropped(kept, key)
      [] -> kept
    end
  end
end

# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Free do
  @moduledoc false
  # `0:free`: the ceiling. The baseline is called once for each different list of arguments; from then on its recorded
  # answer, or error, is replayed. This leaves the server without the function's work.
  #
  # Callers read the table themselves; one process writes to it.

  use GenServer

  alias {{module}}.Tierup.Baseline
  alias {{module}}.Tierup.Recording

  # When the records exceed this, the oldest are dropped.
  @most_bytes 64 * 1024 * 1024

  # The approximate size of a record without its key and value.
  @record_bytes 300

  def load(functions) do
    :ok = {{module}}.Tierup.Application.ensure_child(%{id: __MODULE__, start: {__MODULE__, :start_link, []}})
    functions
  end

  def start_link, do: GenServer.start_link(__MODULE__, nil, name: __MODULE__)

  def call(functions, number, arguments) do
    key = {number, arguments}

    case :ets.lookup(__MODULE__, key) do
      [{_, answer}] ->
        answer

      [] ->
        answer = Baseline.call(functions, number, arguments)
        GenServer.cast(__MODULE__, {:keep, key, answer})
        answer
    end
  end

  def ready(_), do: :ok

  @impl true
  def init(_) do
    :ets.new(__MODULE__, [:named_table, :protected, read_concurrency: true])
    recording = Recording.open()
    kept = recording |> Recording.read() |> Enum.reduce(%{bytes: 0, keys: :queue.new(), recording: recording}, &keep/2)
    {:ok, kept}
  end

  @impl true
  def handle_cast({:keep, key, answer}, kept) do
    # Two processes may have made the same call at the same time.
    if :ets.member(__MODULE__, key) do
      {:noreply, kept}
    else
      Recording.add(kept.recording, {key, answer})
      {:noreply, keep({key, answer}, kept)}
    end
  end

  defp keep({key, answer}, kept) do
    :ets.insert(__MODULE__, {key, answer})
    bytes = @record_bytes + :erlang.external_size({key, answer})
    drop(%{kept | bytes: kept.bytes + bytes, keys: :queue.in({key, bytes}, kept.keys)})
  end

  defp drop(%{bytes: bytes} = kept) when bytes <= @most_bytes, do: kept

  defp drop(kept) do
    {{:value, {key, bytes}}, keys} = :queue.out(kept.keys)
    :ets.delete(__MODULE__, key)
    drop(%{kept | bytes: kept.bytes - bytes, keys: keys})
  end
end

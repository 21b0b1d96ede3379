# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.MemoCounts do
  @moduledoc false
  # Counts how often `0:memo` found an answer in its cache. `tierup bench` names a folder in TIERUP_MEMO_COUNTS. A file
  # there holds the numbers of calls, cache hits, entries, and bytes. It is written at most ten times a second.

  # Milliseconds between two writes.
  @pause 100

  # The fixed length of the file, so that a reader never sees a part of a number.
  @length 96

  @calls 1
  @hits 2

  # The counters; nil if they are not read.
  def begin do
    case {:persistent_term.get(__MODULE__, nil), System.get_env("TIERUP_MEMO_COUNTS", "")} do
      {nil, ""} ->
        nil

      {nil, folder} ->
        counts = :counters.new(2, [:write_concurrency])
        :persistent_term.put(__MODULE__, {counts, Path.join(folder, "#{System.pid()}-1.counts")})
        counts

      {{counts, _}, _} ->
        counts
    end
  end

  def note(nil, _), do: :ok

  def note(counts, is_hit?) do
    :counters.add(counts, @calls, 1)
    if is_hit?, do: :counters.add(counts, @hits, 1)
  end

  # From now on, the process gets :write_counts.
  def watch(process) do
    if begin() != nil, do: Process.send_after(process, :write_counts, @pause)
  end

  # If the file cannot be written, this is not tried again, and the server goes on.
  def write(entries, bytes) do
    {counts, file} = :persistent_term.get(__MODULE__)
    numbers = "#{:counters.get(counts, @calls)} #{:counters.get(counts, @hits)} #{entries} #{bytes}"

    with {:ok, opened} <- :file.open(file, [:raw, :write, :read]),
         written = :file.pwrite(opened, 0, String.pad_trailing(numbers, @length - 1) <> "\n"),
         :file.close(opened),
         :ok <- written do
      watch(self())
    end
  end
end

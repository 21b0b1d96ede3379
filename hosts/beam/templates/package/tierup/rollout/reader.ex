# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.Reader do
  @moduledoc false
  # Reads the control file once a second, and puts it into force. Whatever goes wrong here, the control answers.

  use GenServer

  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Limits
  alias {{module}}.Tierup.Rollout
  alias {{module}}.Tierup.Rollout.Board
  alias {{module}}.Tierup.Rollout.ControlFile
  alias {{module}}.Tierup.Rollout.Deaths
  alias {{module}}.Tierup.Rollout.InForce
  alias {{module}}.Tierup.Rollout.Line
  alias {{module}}.Tierup.Tiers

  # Milliseconds between two reads.
  @pause 1_000
  # The file's content expires after this time, in milliseconds.
  @fresh 5_000
  # After this many deaths in a call of the candidate, no node calls it.
  @most_deaths 2
  # Each message is printed once, and at most this many are.
  @most_said 20

  # `control` is what is obeyed, without `until`; `candidate` the last one in force; `candidates` are {module, state} by
  # name.
  defstruct [:board, :control, :candidate, :refusal, candidates: %{}, said: []]

  def start_link(board), do: GenServer.start_link(__MODULE__, board, name: __MODULE__)

  # Prints a message, once. Callers do not print: standard error may be a pipe that nobody reads.
  def say(words), do: GenServer.cast(__MODULE__, {:say, words})

  # Notes why the candidate refuses arguments that the control has answered.
  def note_refusal(words), do: GenServer.cast(__MODULE__, {:refusal, words})

  @impl true
  def init(board) do
    # This makes `terminate` be called.
    Process.flag(:trap_exit, true)
    InForce.open()
    Board.put(board, :refusal, 0)
    {:ok, %__MODULE__{board: board}, {:continue, :turn}}
  end

  @impl true
  def handle_continue(:turn, reader), do: {:noreply, turn(reader)}

  @impl true
  def handle_info(:turn, reader), do: {:noreply, turn(reader)}
  def handle_info(_, reader), do: {:noreply, reader}

  @impl true
  def handle_call(:ready, _, reader), do: {:reply, :ok, reader}

  @impl true
  def handle_cast({:say, words}, reader), do: {:noreply, said(reader, words)}
  def handle_cast({:refusal, words}, reader), do: {:noreply, %{reader | refusal: words}}

  @impl true
  def terminate(_, _), do: Deaths.leave()

  defp turn(reader) do
    reader = reader |> read() |> without_values()
    Line.turn(InForce.get() != nil, reader.candidate, reader.refusal)
    Process.send_after(self(), :turn, @pause)
    reader
  end

  defp read(reader) do
    control = reader.board.path |> ControlFile.read() |> ControlFile.parse()
    if control.until <= System.os_time(:millisecond) / 1000, do: raise("its judge has not renewed it: `until` is over")
    # A later `until` alone changes nothing.
    control = %{control | until: nil}
    reader = if control == reader.control and watched?(), do: reader, else: obey(%{reader | control: nil}, control)
    Board.put(reader.board, :fresh, Limits.now() + @fresh)
    reader
  rescue
    error ->
      InForce.put(nil)
      said(%{reader | control: nil}, "#{reader.board.path} is not obeyed, so the control answers every call: #{Exception.message(error)}")
  end

  # False if somebody has removed the file of this BEAM: a death would go unnoticed.
  defp watched? do
    is_watched = Deaths.own() == nil or match?({:ok, _}, :file.read_file_info(Deaths.own(), [:raw]))
    unless is_watched, do: Deaths.leave()
    is_watched
  end

  # Another message may contain values, which are no longer permitted.
  defp without_values(%{control: %{keeps_values: true}} = reader), do: reader
  defp without_values(reader), do: %{reader | refusal: reader.refusal && reader.refusal |> String.split(": ") |> hd()}

  defp obey(reader, control) do
    InForce.put(nil)
    {pure, others} = Enum.split_with(Interface.functions(), & &1.pure)
    if pure == [], do: raise("tierup.toml declares no function pure (`pure` of [function])")

    unless control.candidate in Tiers.variants() do
      raise "`candidate` must be a variant in Rust, such as 3:native, got `#{control.candidate}`"
    end

    reader = %{reader | control: control}

    if control.shadow == 0 and control.share == 0 do
      reader
    else
      reader = if others == [], do: reader, else: said(reader, "the control answers every call of #{named(others)}, which tierup.toml does not declare pure")
      {reader, variant} = if control.share > 0, do: candidate(reader, control), else: {reader, nil}
      InForce.put(InForce.new(control, variant, reader.board.key))
      %{reader | candidate: control.candidate}
    end
  end

  defp named(functions) do
    more = if length(functions) > 3, do: " and #{length(functions) - 3} more", else: ""
    (functions |> Enum.take(3) |> Enum.map_join(", ", & &1.name)) <> more
  end

  # The candidate that may answer calls here, or nil.
  defp candidate(reader, %{candidate: candidate} = control) do
    variant = reader.candidates[candidate] || Tiers.candidate(candidate)
    reader = %{reader | candidates: Map.put(reader.candidates, candidate, variant)}
    name = String.trim("#{candidate} #{control.generation}")

    # Only code in this process can end it, so only `3:` candidates need the file.
    if not String.starts_with?(candidate, "3:") or Deaths.name() == name,
      do: {reader, variant},
      else: watch(reader, candidate, name, variant)
  end

  defp watch(reader, candidate, name, variant) do
    folder = reader.board.folder
    count = Deaths.watch(folder, name, @most_deaths)

    if count < @most_deaths do
      {reader, variant}
    else
      {said(reader, "#{count} processes died in a call of #{candidate} (#{folder}/*.died), so the control answers until `generation` is another one"), nil}
    end
  rescue
    error ->
      {said(reader, "the control answers, as nobody would learn that a call of #{candidate} ended the process: #{Exception.message(error)}"), nil}
  end

  defp said(reader, words) do
    if words in reader.said or length(reader.said) >= @most_said do
      reader
    else
      Rollout.tell(": #{words}")
      %{reader | said: [words | reader.said]}
    end
  end
end

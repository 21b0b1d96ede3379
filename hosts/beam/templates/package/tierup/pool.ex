# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Pool do
  @moduledoc false
  # `1:pool`: long-lived programs that answer frames, one for each scheduler or TIERUP_WORKERS of them. `1:spawn`: the
  # same, but each program answers one call. A port cannot close its standard input before it has its answer, so a call
  # at `1:spawn` is a frame as well.
  #
  # One process owns all ports. It sends a call to the program that answered last, whose memory is in the caches, and
  # the answer to the caller. If a call ends early, because its time is over or its caller was killed, its program is
  # killed, as the answer that is still to come has no reader.

  use GenServer

  alias {{module}}.Tierup.Calls
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Limits
  alias {{module}}.Tierup.Process, as: Program
  alias {{module}}.Tierup.Starts
  alias {{module}}.Tierup.Trial
  alias {{module}}.Tierup.Wire
  alias {{module}}.TransportError

  # After a larger message, garbage is collected at once.
  @large 1_048_576

  # How long the application, when it stops, waits for running calls, in milliseconds.
  @grace 10_000

  # `programs` by port; `idle` are ports, the last used one first. `ready`: {callers that wait for starts, first error}.
  defstruct [:name, :path, :size, :once?, :limits, programs: %{}, idle: [], calls: %Calls{}, starts: %Starts{}, alarm: nil, ready: {[], nil}]

  # The state for calls: the name of the pool, and the limits of its calls.
  def load(variant) do
    once? = variant == "1:spawn"
    limits = Limits.read()
    name = Module.concat(__MODULE__, if(once?, do: Once, else: Workers))
    # More programs at once would only wait for processors, and each takes file descriptors.
    size = if once?, do: 4 * System.schedulers_online(), else: Limits.whole_number("TIERUP_WORKERS") || System.schedulers_online()

    with {:ok, path} <- Trial.program(variant) do
      pool = %__MODULE__{name: variant, path: path, size: size, once?: once?, limits: limits}
      child = %{id: name, start: {__MODULE__, :start_link, [name, pool]}, shutdown: @grace + 5_000}
      with :ok <- {{module}}.Tierup.Application.ensure_child(child), do: {:ok, {name, limits}}
    end
  end

  def start_link(name, pool), do: GenServer.start_link(__MODULE__, pool, name: name, spawn_opt: [fullsweep_after: 20])

  def call({name, limits}, number, arguments) do
    function = Interface.function(number)

    with {:ok, bytes} <- Wire.encode_arguments(function, arguments),
         {:ok, answer} <- ask(name, {:ask, number, bytes, Limits.deadline(limits)}) do
      Wire.read_answer(function, answer)
    end
  end

  def ready({name, _}), do: ask(name, :ready)

  defp ask(name, request) do
    GenServer.call(name, request, :infinity)
  catch
    :exit, {reason, _} -> {:error, %TransportError{message: "the pool of programs has ended: #{inspect(reason)}"}}
  end

  @impl true
  def init(pool) do
    # This makes `terminate` be called, and turns the end of a port into a message.
    Process.flag(:trap_exit, true)
    {:ok, pool}
  end

  @impl true
  def handle_call(:ready, from, pool) do
    {callers, error} = pool.ready
    pool = %{pool | ready: {[from | callers], error}}
    missing = if pool.once?, do: 0, else: missing(pool) - Starts.count(pool.starts)
    {:noreply, pool |> begin_starts(missing) |> answer_ready()}
  end

  def handle_call({:ask, number, bytes, deadline}, from, pool) do
    cond do
      deadline != nil and deadline <= Limits.now() ->
        {:reply, {:error, Limits.waited_too_long(pool.limits)}, pool}

      # Calls that a missing program will take do not count.
      pool.idle == [] and Calls.count_waiting(pool.calls) - missing(pool) >= pool.limits.most_waiting ->
        {:reply, {:error, Limits.too_many(pool.limits)}, pool}

      true ->
        {id, calls} = Calls.add(pool.calls, from, number, bytes, deadline, pool.starts.begun)
        {:noreply, take(%{pool | calls: calls}, id)}
    end
  end

  @impl true
  def handle_info({port, {:data, data}}, pool) when is_map_key(pool.programs, port) do
    {:noreply, received(pool, pool.programs[port], data)}
  end

  def handle_info({port, {:exit_status, status}}, pool) when is_map_key(pool.programs, port) do
    {:noreply, ended(pool, pool.programs[port], Program.ending(pool.path, status))}
  end

  # The program no longer reads. Its exit status is not reported any more.
  def handle_info({:EXIT, port, _}, pool) when is_map_key(pool.programs, port) do
    Program.kill(pool.programs[port])
    {:noreply, ended(pool, pool.programs[port], "#{pool.path} has closed its standard input")}
  end

  def handle_info({:DOWN, monitor, :process, _, _}, pool) do
    id = Calls.of_caller(pool.calls, monitor)
    {:noreply, if(id, do: give_up(pool, id), else: pool)}
  end

  def handle_info(:look, pool), do: {:noreply, %{pool | calls: Calls.watch(pool.calls)}}

  def handle_info({:late, id}, pool) do
    case Calls.find(pool.calls, id) do
      nil ->
        {:noreply, pool}

      call ->
        error = if call.port == nil, do: Limits.waited_too_long(pool.limits), else: Limits.took_too_long(pool.limits)
        GenServer.reply(call.from, {:error, error})
        {:noreply, give_up(pool, id)}
    end
  end

  def handle_info({:start_late, port}, pool) do
    case pool.programs do
      %{^port => %{doing: {:starting, number, _}} = program} ->
        Program.kill(program)
        pool = %{pool | programs: Map.delete(pool.programs, port)}
        {:noreply, start_failed(pool, number, Limits.started_too_late(pool.limits, pool.path))}

      _ ->
        {:noreply, pool}
    end
  end

  def handle_info(:start_again, pool), do: {:noreply, begin_needed(%{pool | alarm: nil})}

  # The program could not be killed before.
  def handle_info({:kill, program}, pool) do
    Program.kill(program)
    {:noreply, pool}
  end

  def handle_info(:collect, pool) do
    :erlang.garbage_collect()
    {:noreply, pool}
  end

  # These messages come from closed ports, and from ports that killed a program.
  def handle_info(_, pool), do: {:noreply, pool}

  # Waits for running calls, whose callers may outlive the application.
  @impl true
  def terminate(_, pool) do
    pool = pool |> end_waiting(Calls.all_waiting(pool.calls), closed()) |> drain(Limits.now() + @grace)

    for {_, program} <- pool.programs do
      if program.doing == :idle, do: Program.close(program), else: Program.kill(program)
    end

    for call <- Calls.all_answered(pool.calls), do: GenServer.reply(call.from, {:error, closed()})
    :ok
  end

  defp closed, do: %TransportError{message: "the application was stopped before the call was answered"}

  # Fails calls that get no answer.
  defp end_waiting(pool, ids, error) do
    Enum.reduce(ids, pool, fn id, pool ->
      {call, calls} = Calls.pop(pool.calls, id)
      GenServer.reply(call.from, {:error, error})
      %{pool | calls: calls}
    end)
  end

  defp drain(pool, deadline) do
    busy? = Enum.any?(pool.programs, fn {_, program} -> match?({:busy, _}, program.doing) end)
    left = deadline - Limits.now()

    if busy? and left > 0 do
      receive do
        {:"$gen_call", from, _} ->
          GenServer.reply(from, {:error, closed()})
          drain(pool, deadline)

        message ->
          # No call is waiting any more, so nothing is started.
          {:noreply, pool} = handle_info(message, pool)
          drain(pool, deadline)
      after
        left -> pool
      end
    else
      pool
    end
  end

  # The number of programs that cannot be called: they are starting, or will be started.
  defp missing(pool), do: pool.size - Enum.count(pool.programs, fn {_, program} -> not match?({:starting, _, _}, program.doing) end)

  # Gives a call to an idle program, or lets it wait for one.
  defp take(%{idle: [port | idle]} = pool, id), do: send_to(%{pool | idle: idle}, port, id)

  defp take(pool, id), do: begin_needed(%{pool | calls: Calls.wait(pool.calls, id)})

  defp send_to(pool, port, id) do
    call = Calls.find(pool.calls, id)
    program = pool.programs[port]

    case Program.ask(program, call.number, call.bytes) do
      :ok ->
        put(%{pool | calls: Calls.give(pool.calls, id, port)}, %{program | doing: {:busy, id}})

      :closed ->
        # The program has exited while it was idle, so no call is lost.
        take(%{pool | programs: Map.delete(pool.programs, port)}, id)
    end
  end

  defp received(pool, %{doing: {:starting, number, timer}} = program, data) do
    case Program.hello(program, data) do
      {:more, program} ->
        put(pool, program)

      {:started, program} ->
        Process.cancel_timer(timer)
        pool = %{pool | starts: Starts.succeed(pool.starts, number)}
        pool |> put(%{program | doing: :idle}) |> next_for(program.port) |> answer_ready()

      wrong ->
        Program.kill(program)
        Process.cancel_timer(timer)
        what = if wrong == :other_interface, do: "was built for another interface", else: "does not speak as a worker"
        pool = %{pool | programs: Map.delete(pool.programs, program.port)}
        start_failed(pool, number, %TransportError{message: "#{pool.path} #{what}: run `tierup build`"})
    end
  end

  defp received(pool, %{doing: {:busy, id}} = program, data) do
    case Program.received(program, data) do
      {:more, program} ->
        put(pool, program)

      {:answer, answer, program} ->
        {call, calls} = Calls.pop(pool.calls, id)
        GenServer.reply(call.from, {:ok, answer})
        if byte_size(answer) + call.bytes > @large, do: send(self(), :collect)
        %{pool | calls: calls} |> put(%{program | doing: :idle}) |> answered(program)

      :too_much ->
        ended(pool, program, "#{pool.path} sent an answer without a request")
    end
  end

  defp received(pool, program, _), do: ended(pool, program, "#{pool.path} sent an answer without a request")

  defp answered(%{once?: true} = pool, program) do
    Program.close(program)
    begin_needed(%{pool | programs: Map.delete(pool.programs, program.port)})
  end

  defp answered(pool, program), do: next_for(pool, program.port)

  # Gives an idle program the call that has waited longest.
  defp next_for(pool, port) do
    case Calls.next(pool.calls) do
      {id, calls} ->
        send_to(%{pool | calls: calls}, port, id)

      # The call has ended while its program started.
      :none when pool.once? ->
        Program.close(pool.programs[port])
        %{pool | programs: Map.delete(pool.programs, port)}

      :none ->
        %{pool | idle: [port | pool.idle]}
    end
  end

  # Handles a program that has exited by itself, or has to.
  defp ended(pool, program, words) do
    Program.close(program)
    error = %TransportError{message: words}
    pool = %{pool | programs: Map.delete(pool.programs, program.port)}

    case program.doing do
      {:starting, number, timer} ->
        Process.cancel_timer(timer)
        start_failed(pool, number, error)

      :idle ->
        %{pool | idle: List.delete(pool.idle, program.port)}

      {:busy, id} ->
        {call, calls} = Calls.pop(pool.calls, id)
        GenServer.reply(call.from, {:error, error})
        begin_needed(%{pool | calls: calls})
    end
  end

  # Gives up a call that nobody waits for any more, and kills its program.
  defp give_up(pool, id) do
    {call, calls} = Calls.pop(pool.calls, id)
    pool = %{pool | calls: calls}

    if call.port == nil do
      pool
    else
      Program.kill(pool.programs[call.port])
      begin_needed(%{pool | programs: Map.delete(pool.programs, call.port)})
    end
  end

  # Starts the programs that waiting calls need, at once or after a pause.
  defp begin_needed(pool) do
    under_way = Starts.count(pool.starts)
    needed = min(Calls.count_waiting(pool.calls), missing(pool)) - under_way
    pause = if pool.once?, do: 0, else: Starts.pause(pool.starts)

    cond do
      needed <= 0 -> pool
      pause == 0 -> begin_starts(pool, needed)
      pool.alarm != nil -> pool
      true -> %{pool | alarm: Process.send_after(self(), :start_again, pause)}
    end
  end

  defp begin_starts(pool, count) when count <= 0, do: pool

  defp begin_starts(pool, count) do
    {number, starts} = Starts.begin(pool.starts)
    pool = %{pool | starts: starts}

    case Program.start(pool.path) do
      {:ok, program} ->
        timer = Process.send_after(self(), {:start_late, program.port}, round(pool.limits.start * 1000))
        pool |> put(%{program | doing: {:starting, number, timer}}) |> begin_starts(count - 1)

      {:error, reason} ->
        start_failed(pool, number, %TransportError{message: "#{pool.path} could not be started: #{reason}"})
    end
  end

  defp start_failed(pool, number, error) do
    served? = Enum.any?(pool.programs, fn {_, program} -> not match?({:starting, _, _}, program.doing) end)
    {fatal?, starts} = Starts.fail(pool.starts, number, served?)
    {callers, first} = pool.ready
    pool = %{pool | starts: starts, ready: {callers, if(callers == [], do: nil, else: first || error)}}
    waiting = Calls.all_waiting(pool.calls)

    ended =
      cond do
        # Each start belongs to one call.
        pool.once? -> Enum.take(waiting, 1)
        fatal? -> Enum.filter(waiting, fn id -> Calls.find(pool.calls, id).begun < number end)
        true -> []
      end

    pool |> end_waiting(ended, error) |> begin_needed() |> answer_ready()
  end

  defp answer_ready(%{ready: {[], _}} = pool), do: pool

  defp answer_ready(pool) do
    {callers, error} = pool.ready

    if Starts.count(pool.starts) == 0 do
      for caller <- callers, do: GenServer.reply(caller, if(error, do: {:error, error}, else: :ok))
      %{pool | ready: {[], nil}}
    else
      pool
    end
  end

  defp put(pool, program), do: %{pool | programs: Map.put(pool.programs, program.port, program)}
end

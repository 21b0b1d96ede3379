# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Calls do
  @moduledoc false
  # The unanswered calls of a pool: those that wait for a program, in order, and those that a program is answering.
  #
  # The pool's process gets {:late, id} when the time of a call is over, :look when it has to `watch` the callers, and
  # {:DOWN, …} when a caller has ended.

  # Callers are watched when their calls are still unanswered after this time, in milliseconds. A monitor makes both
  # processes handle signals, a cost that short calls avoid.
  @look 50

  # `unanswered` holds calls by id; `waiting` the ids of waiting calls, in order; `callers` ids by monitor; `look` the
  # timer of the next `watch`.
  defstruct unanswered: %{}, waiting: :gb_sets.new(), callers: %{}, look: nil, next_id: 0

  # Adds a call, and returns its id. `begun` is the number of starts so far.
  def add(calls, from, number, bytes, deadline, begun) do
    id = calls.next_id
    timer = deadline && Process.send_after(self(), {:late, id}, deadline, abs: true)
    call = %{from: from, number: number, bytes: bytes, timer: timer, monitor: nil, begun: begun, port: nil}
    look = calls.look || Process.send_after(self(), :look, @look)
    {id, %{calls | next_id: id + 1, unanswered: Map.put(calls.unanswered, id, call), look: look}}
  end

  def find(calls, id), do: calls.unanswered[id]

  # Lets a call wait for a program.
  def wait(calls, id), do: %{calls | waiting: :gb_sets.add_element(id, calls.waiting)}

  # Takes the call that has waited longest out of the queue.
  def next(calls) do
    if :gb_sets.is_empty(calls.waiting) do
      :none
    else
      {id, waiting} = :gb_sets.take_smallest(calls.waiting)
      {id, %{calls | waiting: waiting}}
    end
  end

  def count_waiting(calls), do: :gb_sets.size(calls.waiting)

  # The ids of waiting calls, in order.
  def all_waiting(calls), do: :gb_sets.to_list(calls.waiting)

  # The calls that a program is answering.
  def all_answered(calls), do: for({_, %{port: port} = call} when port != nil <- calls.unanswered, do: call)

  # Marks the call as sent to a worker, and drops its arguments.
  def give(calls, id, port) do
    update(calls, id, fn call -> %{call | port: port, bytes: byte_size(call.bytes)} end)
  end

  # Removes a call, and returns it.
  def pop(calls, id) do
    {call, unanswered} = Map.pop!(calls.unanswered, id)
    if call.timer, do: Process.cancel_timer(call.timer)
    if call.monitor, do: Process.demonitor(call.monitor, [:flush])
    waiting = if call.port == nil, do: :gb_sets.del_element(id, calls.waiting), else: calls.waiting
    {call, %{calls | unanswered: unanswered, callers: Map.delete(calls.callers, call.monitor), waiting: waiting}}
  end

  # Watches all callers. A caller that has already ended is reported at once.
  def watch(calls) do
    unwatched = for {id, %{monitor: nil, from: {caller, _}}} <- calls.unanswered, do: {id, caller}

    Enum.reduce(unwatched, %{calls | look: nil}, fn {id, caller}, calls ->
      monitor = Process.monitor(caller)
      calls = update(calls, id, fn call -> %{call | monitor: monitor} end)
      %{calls | callers: Map.put(calls.callers, monitor, id)}
    end)
  end

  # The id of the call whose caller has this monitor.
  def of_caller(calls, monitor), do: calls.callers[monitor]

  defp update(calls, id, change), do: %{calls | unanswered: Map.update!(calls.unanswered, id, change)}
end

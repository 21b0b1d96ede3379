# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Calls do
  @moduledoc false
  # The calls of a pool without an answer: calls that wait for a program, in order, and calls that a program answers.
  #
  # Its process gets {:late, id} when a call's time is over, :look when it has to `watch` the callers, and then {:DOWN, …}
  # when one of them has ended.

  # Callers are watched from the first look on that finds their calls unanswered, in milliseconds. A monitor makes both processes
  # handle signals, which short calls need not pay for.
  @look 50

  # `unanswered` are calls by id; `waiting` are the ids of those that wait, in order; `callers` are ids by monitor; `look` is
  # the timer of the next look at them.
  defstruct unanswered: %{}, waiting: :gb_sets.new(), callers: %{}, look: nil, next_id: 0

  # A new call and its id. `begun`: how many starts had begun.
  def add(calls, from, number, bytes, deadline, begun) do
    id = calls.next_id
    timer = deadline && Process.send_after(self(), {:late, id}, deadline, abs: true)
    call = %{from: from, number: number, bytes: bytes, timer: timer, monitor: nil, begun: begun, port: nil}
    look = calls.look || Process.send_after(self(), :look, @look)
    {id, %{calls | next_id: id + 1, unanswered: Map.put(calls.unanswered, id, call), look: look}}
  end

  def find(calls, id), do: calls.unanswered[id]

  # It waits for a program.
  def wait(calls, id), do: %{calls | waiting: :gb_sets.add_element(id, calls.waiting)}

  # The call that has waited longest waits no more.
  def next(calls) do
    if :gb_sets.is_empty(calls.waiting) do
      :none
    else
      {id, waiting} = :gb_sets.take_smallest(calls.waiting)
      {id, %{calls | waiting: waiting}}
    end
  end

  def count_waiting(calls), do: :gb_sets.size(calls.waiting)

  # The ids of those that wait, in order.
  def all_waiting(calls), do: :gb_sets.to_list(calls.waiting)

  # The calls that a program answers.
  def all_answered(calls), do: for({_, %{port: port} = call} when port != nil <- calls.unanswered, do: call)

  # Marks the call as sent to a worker, and drops its arguments.
  def give(calls, id, port) do
    update(calls, id, fn call -> %{call | port: port, bytes: byte_size(call.bytes)} end)
  end

  # The call, which is forgotten.
  def pop(calls, id) do
    {call, unanswered} = Map.pop!(calls.unanswered, id)
    if call.timer, do: Process.cancel_timer(call.timer)
    if call.monitor, do: Process.demonitor(call.monitor, [:flush])
    waiting = if call.port == nil, do: :gb_sets.del_element(id, calls.waiting), else: calls.waiting
    {call, %{calls | unanswered: unanswered, callers: Map.delete(calls.callers, call.monitor), waiting: waiting}}
  end

  # Watches all callers. A caller that has ended already is reported at once.
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

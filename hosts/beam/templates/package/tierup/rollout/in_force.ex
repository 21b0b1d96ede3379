# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.InForce do
  @moduledoc false
  # The control in force, with the candidate's variant. It is in a table of the process that reads the control file, so
  # that the control answers every call as soon as this process has ended.

  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Rollout.Copies
  alias {{module}}.Tierup.Rollout.Pairs
  alias {{module}}.Tierup.Rollout.Reader

  # The candidate gets no more calls if more than @most_failed of @block calls panic, time out or get lost.
  @block 100
  @most_failed 50

  # `variant` is {module, state}, or nil if the candidate must not answer calls. `breaker` has the calls of the block so
  # far, times 2^32, plus how many of them have failed; and whether the candidate gets no more calls.
  defstruct [:candidate, :shadow, :share, :by_input, :keeps_values, :slower, :key, :variant, :breaker, :pairs]

  # For the process that reads the file.
  def open, do: :ets.new(__MODULE__, [:named_table, :protected, read_concurrency: true])
  def put(nil), do: :ets.delete_all_objects(__MODULE__)
  def put(now), do: :ets.insert(__MODULE__, {:now, now})

  def new(control, variant, own_key) do
    now = struct!(__MODULE__, control |> Map.take([:candidate, :shadow, :share, :by_input, :keeps_values, :slower]) |> Map.to_list())
    share = if variant, do: control.share, else: 0.0
    %{now | share: share, variant: variant, key: control.key || own_key, breaker: :atomics.new(2, []), pairs: Pairs.new(length(Interface.functions()))}
  end

  # The control in force, or nil.
  def get do
    :ets.lookup_element(__MODULE__, :now, 2)
  rescue
    ArgumentError -> nil
  end

  # Whether the candidate answers any calls.
  def shares?(now), do: now.share > 0 and :atomics.get(now.breaker, 2) == 0

  # Whether the candidate answers a call: by chance, or by HMAC-SHA256 of the arguments.
  def shares?(now, function, arguments) do
    cond do
      not shares?(now) -> false
      now.by_input -> by_input?(now, function, arguments)
      true -> chance?(now.share)
    end
  end

  defp by_input?(now, function, arguments) do
    case Copies.arguments(function, arguments) do
      {:ok, encoded} -> chooses?(now, function.number, encoded)
      _ -> false
    end
  end

  def chooses?(now, number, encoded) do
    <<drawn::little-32, _::binary>> = :crypto.mac(:hmac, :sha256, now.key, ["#{number} ", encoded])
    drawn < now.share * 0x1_0000_0000
  end

  # True with this probability. The state of `:rand` belongs to the caller, who may have seeded it.
  def chance?(part), do: :erlang.phash2({:erlang.unique_integer(), :erlang.monotonic_time()}, 0x1_0000_0000) < part * 0x1_0000_0000

  # Counts a call of the candidate: `failed` is 1 if it has failed, otherwise 0.
  def ended(now, failed) do
    before = :atomics.get(now.breaker, 1)
    calls = Bitwise.bsr(before, 32) + 1
    all_failed = Bitwise.band(before, 0xFFFFFFFF) + failed
    later = if calls == @block, do: 0, else: Bitwise.bsl(calls, 32) + all_failed

    cond do
      :atomics.compare_exchange(now.breaker, 1, before, later) != :ok -> ended(now, failed)
      calls == @block and all_failed > @most_failed -> stop(now, all_failed)
      true -> :ok
    end
  end

  defp stop(now, failed) do
    if :atomics.exchange(now.breaker, 2, 1) == 0 do
      Reader.say("#{failed} of #{@block} calls failed at #{now.candidate}, so the control answers until the control file changes")
    end
  end
end

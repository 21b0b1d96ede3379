# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Limits do
  @moduledoc false
  # The limits that the environment sets: how long a call and the start of a worker may take, and how many calls may wait.

  alias {{module}}.CallTimeoutError
  alias {{module}}.TransportError

  # A server with more waiting calls than this is unlikely to catch up.
  @most_waiting 16_384

  # How long a worker may take to start, in seconds: many times what a busy machine needs.
  @start 30

  # The longest time-out, in seconds: some hosts' timers take no more.
  @longest 1_000_000

  # Times are in seconds; `timeout` may be nil.
  defstruct [:timeout, :start, :most_waiting]

  def read do
    %__MODULE__{
      timeout: seconds("TIERUP_CALL_TIMEOUT"),
      start: seconds("TIERUP_START_TIMEOUT") || @start,
      most_waiting: whole_number("TIERUP_CALL_QUEUE") || @most_waiting
    }
  end

  # When a call made now must be answered, in milliseconds of the monotonic clock; nil without a time-out.
  def deadline(%{timeout: nil}), do: nil
  def deadline(%{timeout: seconds}), do: now() + round(seconds * 1000)

  def now, do: System.monotonic_time(:millisecond)

  def waited_too_long(limits) do
    message = "no worker was free for the call within #{shown(limits.timeout)} s (TIERUP_CALL_TIMEOUT)"
    %CallTimeoutError{message: message}
  end

  def took_too_long(limits) do
    message = "the call took longer than #{shown(limits.timeout)} s (TIERUP_CALL_TIMEOUT): its process was ended"
    %CallTimeoutError{message: message}
  end

  def started_too_late(limits, path) do
    message = "#{path} did not start within #{shown(limits.start)} s (TIERUP_START_TIMEOUT): its process was ended"
    %TransportError{message: message}
  end

  def too_many(limits) do
    message = "#{limits.most_waiting} calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)"
    %TransportError{message: message}
  end

  # A variable that is a whole number; nil if it is not set.
  def whole_number(name) do
    case System.get_env(name, "") do
      "" -> nil
      asked -> if asked =~ ~r/\A[0-9]+\z/ and String.to_integer(asked) >= 1, do: String.to_integer(asked), else: wrong(name, "a whole number of at least 1", asked)
    end
  end

  # A variable in seconds; nil if it is not set.
  defp seconds(name) do
    asked = System.get_env(name, "")

    cond do
      asked == "" -> nil
      asked =~ ~r/\A[0-9]+(\.[0-9]+)?\z/ and in_range?(number(asked)) -> number(asked)
      true -> wrong(name, "a number of seconds above 0, up to #{@longest}, such as 2.5", asked)
    end
  end

  defp number(asked), do: asked |> Float.parse() |> elem(0)

  defp in_range?(seconds), do: seconds > 0 and seconds <= @longest

  defp wrong(name, what, asked), do: raise(ArgumentError, "#{name} must be #{what}, got `#{asked}`")

  defp shown(seconds) when trunc(seconds) == seconds, do: to_string(trunc(seconds))
  defp shown(seconds), do: to_string(seconds)
end

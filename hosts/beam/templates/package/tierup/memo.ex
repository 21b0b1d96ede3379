# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Memo do
  @moduledoc false
  # `0:memo`: the server's own functions with a bounded cache of their answers, by the encoded arguments. It is only
  # right for functions whose answer depends on nothing but the arguments.
  #
  # Errors are not cached: the next call may succeed. A call does not wait for the same call under way, which may need
  # the waiting process itself. If there is no cache, the function is called.

  alias {{module}}.Tierup.Baseline
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Kept
  alias {{module}}.Tierup.MemoCounts
  alias {{module}}.Tierup.Wire

  # Another baseline begins with an empty cache.
  def load(functions), do: {functions, Kept.begin(functions), MemoCounts.begin()}

  def call({functions, generation, counts}, number, arguments) do
    case Wire.encode_arguments(Interface.function(number), arguments) do
      {:ok, bytes} -> known({generation, number, bytes}, counts) || asked(functions, {generation, number, bytes}, arguments)
      # Arguments that Rust would refuse go to the baseline.
      {:error, _} -> Baseline.call(functions, number, arguments)
    end
  end

  def ready(_), do: :ok

  defp known(key, counts) do
    found = Kept.get(key)
    MemoCounts.note(counts, found != nil)
    found
  end

  defp asked(functions, {_, number, _} = key, arguments) do
    answer = Baseline.call(functions, number, arguments)
    with {:ok, value} <- answer, do: Kept.put(key, value)
    answer
  end
end

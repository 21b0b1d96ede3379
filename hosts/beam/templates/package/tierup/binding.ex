# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Binding do
  @moduledoc false
  # The tier that the functions run at present: its name, its module, the module's state for calls, and its metrics. A module has
  #   call(state, number, arguments)   {:ok, value} or {:error, exception}
  #   ready(state)                     :ok or {:error, exception}, when no call has to wait for a start

  alias {{module}}.Tierup.Baseline
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Metrics
  alias {{module}}.Tierup.Rollout
  alias {{module}}.Tierup.Tiers

  @options [:baseline, :baselines, :tier]

  def run(number, arguments) do
    with {:ok, chosen} <- current(), do: call(chosen, number, arguments)
  end

  def run!(number, arguments) do
    case current() do
      {:ok, {_, variant, _, _} = chosen} when variant in [Baseline, Rollout] -> own!(chosen, number, arguments)
      {:ok, chosen} -> value!(call(chosen, number, arguments))
      {:error, error} -> raise error
    end
  end

  defp call({tier, variant, state, metrics}, number, arguments) do
    Metrics.called(metrics)

    with {:error, error} = failed <- variant.call(state, number, arguments) do
      Metrics.failed(metrics, tier, error)
      failed
    end
  end

  # The server's own function raises its error directly.
  defp own!({tier, variant, state, metrics}, number, arguments) do
    Metrics.called(metrics)
    variant.call!(state, number, arguments)
  catch
    :error, reason ->
      Metrics.failed(metrics, tier, reason)
      :erlang.raise(:error, reason, __STACKTRACE__)
  end

  defp value!({:ok, value}), do: value
  defp value!({:error, error}), do: raise(error)

  def bind(options) do
    unknown = Keyword.keys(options) -- @options
    if unknown != [], do: raise(ArgumentError, "bind takes #{inspect(@options)}, not #{inspect(unknown)}")
    put(Tiers.choose(Keyword.merge(configured(), options)))
  end

  # The options in the application's environment.
  def configured, do: Keyword.take(Application.get_all_env(Interface.application()), @options)

  # Puts a loaded tier into use. Its counts begin anew.
  def put({tier, _, _, _} = chosen) do
    :persistent_term.put(__MODULE__, chosen)
    tier
  end

  def forget, do: :persistent_term.erase(__MODULE__)

  def tier, do: elem(current!(), 0)

  def metrics do
    {tier, _, _, metrics} = current!()
    Metrics.read(metrics, tier)
  end

  def ready do
    with {:ok, {_, variant, state, _}} <- current(), do: variant.ready(state)
  end

  defp current! do
    case current() do
      {:ok, chosen} -> chosen
      {:error, error} -> raise error
    end
  end

  def current do
    case :persistent_term.get(__MODULE__, nil) do
      nil -> bound_now()
      chosen -> {:ok, chosen}
    end
  end

  defp bound_now do
    # If several first calls come at once, only one chooses: each choice would have its own counters.
    :global.trans({__MODULE__, self()}, fn -> :persistent_term.get(__MODULE__, nil) || bind([]) end, [node()])
    {:ok, :persistent_term.get(__MODULE__)}
  rescue
    error -> {:error, error}
  end
end

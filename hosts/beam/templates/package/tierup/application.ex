# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Application do
  @moduledoc false
  # The application: a supervisor of what the chosen tier needs, such as a pool of programs or recorded answers.

  use Application

  alias {{module}}.Tierup.Binding
  alias {{module}}.Tierup.Interface

  @supervisor {{module}}.Tierup.Supervisor

  @impl true
  def start(_type, _arguments) do
    with {:ok, supervisor} <- Supervisor.start_link([], strategy: :one_for_one, name: @supervisor) do
      bind_as_configured(supervisor)
    end
  end

  @impl true
  def stop(_state), do: Binding.forget()

  # Starts a child unless it runs already. A script may not have started the application.
  def ensure_child(child) do
    if Process.whereis(@supervisor) == nil, do: {:ok, _} = Application.ensure_all_started(Interface.application())

    case Supervisor.start_child(@supervisor, child) do
      {:ok, _} -> :ok
      {:error, {:already_started, _}} -> :ok
      {:error, :already_present} -> restarted(child.id)
      {:error, reason} -> {:error, inspect(reason)}
    end
  end

  defp restarted(id) do
    case Supervisor.restart_child(@supervisor, id) do
      {:error, reason} when reason not in [:running, :restarting] -> {:error, inspect(reason)}
      _ -> :ok
    end
  end

  # A tier that cannot run must fail when the server starts, not at its first call.
  defp bind_as_configured(supervisor) do
    if Binding.configured() != [], do: Binding.bind([])
    {:ok, supervisor}
  rescue
    error ->
      Supervisor.stop(supervisor)
      {:error, error}
  end
end

# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.{{nif}} do
  @moduledoc false
  # The functions of the native library. They run on dirty CPU schedulers.

  @on_load :load_again

  # Loads the library. After a hot upgrade, the new module loads it by itself if the old one had it.
  def load(path) do
    case :erlang.load_nif(String.to_charlist(Path.rootname(path)), 0) do
      :ok -> :persistent_term.put(__MODULE__, true)
      # Another process has loaded the library.
      {:error, {:reload, _}} -> :ok
      {:error, {reason, text}} -> {:error, "cannot be loaded (#{reason}): #{text}"}
    end
  end

  @doc false
  def load_again do
    if :persistent_term.get(__MODULE__, false), do: elem({{module}}.Tierup.Built.first("{{variant}}", &load/1), 0), else: :ok
  end

  def abi, do: :erlang.nif_error(:not_loaded)
  def ready, do: :erlang.nif_error(:not_loaded)
  def call(_number, _arguments), do: :erlang.nif_error(:not_loaded)
  def direct(_number, _arguments), do: :erlang.nif_error(:not_loaded)
  def mark(_path, _content), do: :erlang.nif_error(:not_loaded)
end

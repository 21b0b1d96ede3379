# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Recording do
  @moduledoc false
  # Recorded answers that outlive their process.
  #
  # `tierup bench` names a folder of the project in TIERUP_RECORDING. The servers that it starts for each block replay the
  # answers that were recorded there, instead of doing the work again. Each server writes a file of its own.

  @ending ".beam-answers"

  # The folder and this process's file; nil if there is no folder to use.
  def open do
    case System.get_env("TIERUP_RECORDING", "") do
      "" ->
        nil

      folder ->
        File.mkdir_p!(folder)
        {folder, Path.join(folder, "#{System.pid()}-#{System.unique_integer([:positive])}#{@ending}")}
    end
  end

  # All records so far.
  def read(nil), do: []

  def read({folder, _}) do
    folder
    |> File.ls!()
    |> Enum.filter(&String.ends_with?(&1, @ending))
    |> Enum.sort()
    |> Enum.flat_map(&records(File.read!(Path.join(folder, &1))))
  end

  def add(nil, _), do: :ok
  # An error is not written to the file: it is recorded only for this process.
  def add(_, {_, {:error, _}}), do: :ok

  def add({_, file}, record) do
    content = :erlang.term_to_binary(record)
    File.write!(file, [<<byte_size(content)::little-32>>, content], [:append])
  end

  defp records(<<size::little-32, content::binary-size(size), rest::binary>>), do: [:erlang.binary_to_term(content) | records(rest)]
  # The process that wrote the file was killed.
  defp records(_), do: []
end

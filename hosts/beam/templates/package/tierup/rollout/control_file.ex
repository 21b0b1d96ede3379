# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Rollout.ControlFile do
  @moduledoc false
  # The control file of a rollout inside the process, named by TIERUP_ROLLOUT: plain `key=value` lines.

  # Longer files are not valid, in bytes.
  @longest 4096

  # `candidate`, a row; `shadow` and `share`, from 0 to 1; `by_input`; `key`, for the hash of inputs, or nil; `generation`;
  # `keeps_values`, for calls that differ; `slower`, the tolerated ratio of times, or nil; `until`, the expiry, in seconds since 1970, or :infinity, which is greater than
  # any number.
  defstruct [:candidate, :shadow, :share, :by_input, :keeps_values, :slower, :key, :generation, :until]

  # The file's text. Raises if it is not a regular file, without waiting for it. These functions use no other process.
  def read(path) do
    with {:ok, info} <- :file.read_file_info(path, [:raw]),
         :regular <- elem(info, 2),
         {:ok, file} <- :file.open(path, [:raw, :read, :binary]),
         content = :file.read(file, @longest + 1),
         :file.close(file),
         {:ok, text} <- content do
      if byte_size(text) > @longest, do: raise("it has more than #{@longest} bytes"), else: text
    else
      :eof -> ""
      {:error, reason} -> raise to_string(:file.format_error(reason))
      _ -> raise "it is not a file"
    end
  end

  # Raises if the text is not a whole control file. Unknown keys are ignored, so newer files can be read.
  def parse(text) do
    unless String.ends_with?(text, "\n"), do: raise("its last line has no end: it may be cut")
    lines = text |> binary_part(0, byte_size(text) - 1) |> String.split("\n")
    {values, _} = Enum.reduce(lines, {%{}, ""}, &add_line/2)
    control(values)
  end

  defp add_line(line, {values, above}) do
    {key, value} =
      case Regex.run(~r/\A([\w-]+)=(.*)\z/s, line) do
        [_, key, value] -> {key, value}
        nil -> {nil, nil}
      end

    cond do
      Map.has_key?(values, "checksum") -> raise "`checksum` must be its last line"
      key == "checksum" and value != checksum(above) -> raise "its checksum does not fit the lines above it"
      line == "" or String.starts_with?(line, "#") -> {values, above <> line <> "\n"}
      key == nil -> raise "its line `#{shown(line)}` is not key=value"
      Map.has_key?(values, key) -> raise "it has `#{key}` twice"
      true -> {Map.put(values, key, value), above <> line <> "\n"}
    end
  end

  # As in the control file of `tierup ramp`. It detects truncated files, not forged ones.
  def checksum(lines), do: :crypto.hash(:sha256, lines) |> Base.encode16(case: :lower) |> binary_part(0, 16)

  defp control(values) do
    if Map.get(values, "candidate", "") == "", do: raise("`candidate` is missing")

    %__MODULE__{
      candidate: values["candidate"],
      shadow: part(values, "shadow"),
      share: part(values, "share"),
      by_input: other?(values, "by", "call", "input"),
      keeps_values: other?(values, "keep", "counts", "values"),
      slower: slower(values["slower"]),
      key: values["key"],
      generation: Map.get(values, "generation", ""),
      until: until(values["until"])
    }
  end

  defp slower(nil), do: nil

  defp slower(text) do
    case Float.parse(text) do
      {ratio, ""} when ratio >= 1 and ratio <= 1000 -> ratio
      _ -> raise "`slower` must be a number from 1 to 1000"
    end
  end

  defp until(nil), do: :infinity

  defp until(text) do
    case Float.parse(text) do
      {seconds, ""} -> seconds
      _ -> raise "`until` must be a number of seconds since 1970"
    end
  end

  defp part(values, key) do
    text = Map.get(values, key, "0")
    unless text =~ ~r/\A(0?\.[0-9]+|0|1(\.0*)?)\z/, do: raise("`#{key}` must be a number from 0 to 1, such as 0.01, got `#{shown(text)}`")
    # Elixir reads no number that begins or ends with a point.
    {number, _} = Float.parse("0" <> text)
    number
  end

  # Whether the value is `other`, the unusual one.
  defp other?(values, key, usual, other) do
    text = Map.get(values, key, usual)
    unless text in [usual, other], do: raise("`#{key}` must be #{usual} or #{other}, got `#{shown(text)}`")
    text == other
  end

  defp shown(text), do: String.slice(text, 0, 40)
end

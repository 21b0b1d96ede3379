defmodule {{module}}.Tierup.Interface do
  @moduledoc false
  # The types and functions as data. A type is an atom, or a tuple: {:list, :u8}, {:defined, 0} for the first
  # definition. Fields and parameters are pairs of a name and a type.

  @definitions [
{{definitions}}  ]

  @functions [
{{functions}}  ]

  # The hash of the interface: code that was built for another one is not called.
  def abi, do: {{abi}}

  # The keys of [function.alternatives] in tierup.toml.
  def alternatives, do: [{{alternatives}}]

  # The crate's name, which is also the program's.
  def package, do: {{package}}

  def application, do: {{application}}

  # The golden call of [health] in tierup.toml: the function's number, its arguments, the right answers.
  def health, do: {{health}}

  def functions, do: @functions

  for function <- @functions do
    def function(unquote(function.number)), do: unquote(Macro.escape(function))
  end

  # Cases are looked up by their atom for writing, and by their number for reading.
  for {definition, number} <- Enum.with_index(@definitions) do
    found =
      with {:cases, name, cases} <- definition do
        numbered = Enum.with_index(cases)
        by_tag = Map.new(numbered, fn {{tag, payload}, number} -> {tag, {number, payload}} end)
        {:cases, name, by_tag, List.to_tuple(cases)}
      end

    def definition(unquote(number)), do: unquote(Macro.escape(found))
  end

  def definition(_), do: nil
end

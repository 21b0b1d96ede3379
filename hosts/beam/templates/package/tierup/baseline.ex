# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Baseline do
  @moduledoc false
  # `0` and `0:LABEL`: the server's own functions. Arguments, answers and errors pass unchanged.
  #
  # Such a function may return a value or raise, or return {:ok, value} or {:error, reason}, as the package's functions
  # do. If a module has `name!`, it is called instead of `name`.

  alias {{module}}.CallError
  alias {{module}}.Tierup.Interface
  alias {{module}}.Unavailable

  # The functions of each baseline by number, by label; `:baseline` has the label "".
  def read(baseline, baselines) do
    unless baselines == nil or is_map(baselines) or Keyword.keyword?(baselines) do
      raise ArgumentError, "baselines must be a map of baselines by label, not #{inspect(baselines)}"
    end

    others =
      for {label, given} <- baselines || %{}, given != nil, into: %{} do
        label = to_string(label)

        unless label =~ ~r/\A[A-Za-z0-9_-]+\z/ and label not in ["free", "memo", "workers"] do
          raise ArgumentError,
                "#{inspect(label)} cannot label a baseline: it takes letters, digits, - and _, and is not free, memo or workers"
        end

        {label, functions("baselines[#{inspect(label)}]", given)}
      end

    if baseline == nil, do: others, else: Map.put(others, "", functions("baseline", baseline))
  end

  def call(functions, number, arguments) do
    case called(elem(functions, number), arguments) do
      {:ok, value} -> {:ok, value}
      {:error, reason} -> {:error, exception(reason)}
      value -> {:ok, value}
    end
  rescue
    error -> {:error, error}
  end

  def call!(functions, number, arguments) do
    case called(elem(functions, number), arguments) do
      {:ok, value} -> value
      {:error, reason} -> raise exception(reason)
      value -> value
    end
  end

  def ready(_), do: :ok

  defp exception(reason) when is_exception(reason), do: reason
  defp exception(reason) when is_binary(reason), do: %CallError{message: reason}
  defp exception(reason), do: %CallError{message: inspect(reason)}

  defp functions(place, given) do
    given = named(place, given)
    all = Enum.map(Interface.functions(), &function(given, &1))

    if Enum.all?(all, &is_nil/1) do
      names = Enum.map_join(Interface.functions(), ", ", &"#{&1.name}/#{length(&1.parameters)}")

      raise ArgumentError,
            "#{place} is a module or a map with functions of these names, or a function if there is only one: #{names}"
    end

    Interface.functions()
    |> Enum.zip_with(all, fn function, found -> found || missing(place, function) end)
    |> List.to_tuple()
  end

  # Values in the form of tierup.toml: "MyServer.Own" and "MyServer.Own.slugify"; ":own" is an Erlang module.
  defp named(place, name) when is_binary(name) do
    {module, function} =
      case Regex.run(~r/\A(.+)[.:]([a-z_][^.:]*)\z/, name) do
        [_, module, function] -> {module, String.to_atom(function)}
        nil -> {name, nil}
      end

    module = module |> String.trim_leading(":") |> module_of()

    case Code.ensure_loaded(module) do
      {:module, _} -> if function, do: of_module(module, function, place, name), else: module
      {:error, reason} -> raise ArgumentError, "#{place} #{inspect(name)} cannot be loaded: #{reason}"
    end
  end

  defp named(_, given), do: given

  defp module_of(<<first, _::binary>> = name) when first in ?A..?Z, do: Module.concat([name])
  defp module_of(name), do: String.to_atom(name)

  # The module's function with this name and with as many arguments as the package's function.
  defp of_module(module, name, place, given) do
    Enum.find_value(Interface.functions(), fn function ->
      arity = length(function.parameters)
      is_meant = name in [function.name, function.raising] or length(Interface.functions()) == 1
      if is_meant and function_exported?(module, name, arity), do: %{function.name => Function.capture(module, name, arity)}
    end) || raise ArgumentError, "#{place} #{inspect(given)}: #{inspect(module)} has no such function"
  end

  defp function(given, function) when is_function(given) do
    if length(Interface.functions()) == 1 and is_function(given, length(function.parameters)), do: given
  end

  defp function(given, function) when is_map(given) or is_list(given) do
    found = Access.get(given, function.name) || (is_map(given) && given[to_string(function.name)])
    if is_function(found, length(function.parameters)), do: found
  end

  defp function(module, function) when is_atom(module) do
    arity = length(function.parameters)
    Code.ensure_loaded(module)
    name = Enum.find([function.raising, function.name], &function_exported?(module, &1, arity))
    name && Function.capture(module, name, arity)
  end

  defp function(_, _), do: nil

  defp missing(place, function) do
    message = "#{place} has no function #{function.name}/#{length(function.parameters)}"
    {:missing, message}
  end

  defp called({:missing, message}, _), do: raise(Unavailable, message)
  defp called(function, arguments), do: apply(function, arguments)
end

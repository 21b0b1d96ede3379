# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Tiers do
  @moduledoc false
  # Chooses the tier that answers: the one that TIERUP_TIER names, or the best variant that was built.

  alias {{module}}.Tierup.Baseline
  alias {{module}}.Tierup.Built
  alias {{module}}.Tierup.Free
  alias {{module}}.Tierup.Interface
  alias {{module}}.Tierup.Memo
  alias {{module}}.Tierup.Metrics
  alias {{module}}.Tierup.Native
  alias {{module}}.Tierup.Pool
  alias {{module}}.Unavailable

  # All variants in Rust, best first. By default, the first one that was built is chosen.
  @best_first ["3:native", "2:core", "1:pool", "1:spawn"]

  # The variants of each tier, the preferred one first.
  @of_tier %{"1" => ["1:pool", "1:spawn"], "2" => ["2:core"], "3" => ["3:native"]}

  # Variants of other hosts, and why this host does not have them.
  @elsewhere %{
    "0:workers" => "processes already run on all processors",
    "2:bindgen" => "wasm-bindgen supports only JavaScript; use 2:core",
    "2:component" => "OTP includes no Wasm runtime, and the embedded one runs 2:core; use 2:core",
    "3:async" => "a process that calls 3:native does not keep others waiting; use 3:native"
  }

  # The name of the tier, the module that makes its calls, the module's state, and the metrics. Raises if it cannot run.
  def choose(options) do
    permitted = permitted()
    baselines = Baseline.read(options[:baseline], options[:baselines])
    asked = options[:tier] || System.get_env("TIERUP_TIER", "")
    unless is_binary(asked), do: raise(ArgumentError, "tier must be text such as \"3:native\", not #{inspect(asked)}")

    {chosen, instead} =
      try do
        chosen = load(name_of(without_alternative(asked), baselines), baselines)
        {chosen, unasked(asked, chosen)}
      rescue
        error in Unavailable ->
          if permitted == [], do: reraise(error, __STACKTRACE__), else: fall_back(error, permitted, baselines)
      end

    Tuple.append(rolled_out(chosen), Metrics.begin(asked, instead))
  end

  # The variants in Rust of all hosts.
  def variants, do: @best_first ++ (Map.keys(@elsewhere) -- ["0:workers"])

  # Loads a variant in Rust as the candidate of a rollout: {module, state}. Raises if it cannot run.
  def candidate(name) do
    {_, module, state} = name |> name_of(%{}) |> load(%{})
    {module, state}
  end

  # The tier as the control of a rollout. A committed package has no rollout until a variant is built.
  defp rolled_out(chosen) do
    rollout = {{module}}.Tierup.Rollout
    path = System.get_env("TIERUP_ROLLOUT", "")

    cond do
      Code.ensure_loaded?(rollout) -> rollout.around(chosen, path)
      path == "" -> chosen
      true -> IO.puts(:stderr, "#{Interface.package()}: TIERUP_ROLLOUT is not obeyed: #{Built.nothing()}") && chosen
    end
  end

  # `#NAME` of TIERUP_TIER=3:native#NAME, or "". Rust reads it once, so that the whole node calls one implementation.
  defp alternative, do: Regex.run(~r/#.*/s, System.get_env("TIERUP_TIER", "")) |> List.wrap() |> Enum.join()

  # The requested row without its alternative: `3:native` for `3:native#NAME`.
  defp without_alternative("0#" <> _ = asked), do: raise(ArgumentError, no_rust(asked))

  defp without_alternative("0:" <> _ = asked) do
    if asked =~ "#", do: raise(ArgumentError, no_rust(asked)), else: asked
  end

  defp without_alternative("0"), do: "0"

  defp without_alternative(asked) do
    {base, name} =
      case String.split(asked, "#", parts: 2) do
        [base, name] -> {base, name}
        [base] -> {base, nil}
      end

    known = Interface.alternatives()

    cond do
      name != nil and name not in known ->
        has = if known == [], do: "none", else: Enum.join(known, ", ")

        raise ArgumentError,
              "#{Interface.package()} has no alternative '#{name}': [function.alternatives] in tierup.toml has #{has}"

      if(name, do: "#" <> name, else: "") != alternative() ->
        raise ArgumentError,
              "an alternative holds for the whole node: set TIERUP_TIER=#{asked}, rather than ask for #{asked} beside another"

      true ->
        base
    end
  end

  defp no_rust(asked), do: "#{asked} is not a tier: tier 0 runs no Rust, so it has no alternatives"

  # The name of the requested row.
  defp name_of("", baselines), do: best(baselines)
  defp name_of("0" = asked, _), do: asked
  defp name_of("0:" <> _ = asked, _) when not is_map_key(@elsewhere, asked), do: asked
  defp name_of(asked, _) when asked in @best_first, do: asked

  defp name_of(asked, _) when asked in ["4", "4:server"] do
    raise ArgumentError,
          "tier 4 is a separate server, which #{Interface.package()} cannot load: run `tierup serve --tier 4`"
  end

  defp name_of(asked, _) when is_map_key(@elsewhere, asked) do
    raise Unavailable, "#{Interface.package()} cannot run at tier #{asked}: #{@elsewhere[asked]}"
  end

  defp name_of(asked, _) do
    variants = @of_tier[asked]

    if variants == nil do
      all = Enum.join(@best_first, ", ")
      raise ArgumentError, "#{asked} is not a tier: use 0, 0:free, 0:memo, 0:LABEL, 1, 2, 3 or one of #{all}"
    end

    Enum.find(variants, &Built.built?/1) ||
      raise Unavailable, "#{Interface.package()} cannot run at tier #{asked}:#{reasons(variants)}"
  end

  defp best(baselines) do
    # Something was built, but for another interface. Falling back to the baseline would hide that.
    if Built.stale?(), do: raise(Unavailable, "#{Interface.package()} cannot run: #{Built.why_not("")}")

    cond do
      name = Enum.find(@best_first, &Built.built?/1) ->
        name

      Map.has_key?(baselines, "") ->
        "0"

      true ->
        raise Unavailable,
              "#{Interface.package()} has nothing to run: it has no baseline, and#{reasons(@best_first)}"
    end
  end

  # If tier 0 runs without having been requested, prints that once, and returns the line.
  defp unasked("", {"0", _, _}) do
    line = in_one_line("#{Interface.package()}: your own code runs, at tier 0, as#{reasons(@best_first)}")
    if :persistent_term.get({__MODULE__, :said}, nil) == nil, do: IO.puts(:stderr, line)
    :persistent_term.put({__MODULE__, :said}, true)
    line
  end

  defp unasked(_, _), do: ""

  defp reasons(variants) do
    if Built.nothing?(),
      do: " " <> Built.nothing(),
      else: Enum.map_join(variants, &"\n  #{&1}: #{Built.why_not(&1)}")
  end

  defp load("0", baselines), do: {"0", Baseline, baseline("0", "", baselines)}
  defp load("0:free", baselines), do: {"0:free", Free, Free.load(baseline("0:free", "", baselines))}
  defp load("0:memo", baselines), do: {"0:memo", Memo, Memo.load(baseline("0:memo", "", baselines))}
  defp load("0:" <> label = name, baselines), do: {name, Baseline, baseline(name, label, baselines)}

  defp load(name, _) do
    case Built.why_not(name) do
      nil -> {name <> alternative(), module(name), loaded(name)}
      reason -> raise Unavailable, "#{Interface.package()} cannot run at tier #{name}: #{reason}"
    end
  end

  defp baseline(name, label, baselines) do
    option = if label == "", do: "baseline: …", else: "baselines: %{#{inspect(label)} => …}"

    baselines[label] ||
      raise ArgumentError,
            "tier #{name} needs the function that #{Interface.package()} replaces: hand it over as bind(#{option})"
  end

  defp module(name) when name in ["2:core", "3:native"], do: Native
  defp module(_), do: Pool

  defp loaded(name) do
    case module(name).load(name) do
      {:ok, state} -> state
      {:error, reason} -> raise Unavailable, "#{Interface.package()} cannot run at tier #{name}: #{reason}"
    end
  end

  # The rows that TIERUP_FALLBACK permits, in order: none if it is empty or `0`, all for `1`, or those that it lists.
  defp permitted do
    case String.trim(System.get_env("TIERUP_FALLBACK", "")) do
      "0" ->
        []

      "1" ->
        @best_first ++ ["0"]

      listed ->
        names = for name <- String.split(listed, ","), name = String.trim(name), name != "", do: name
        wrong = Enum.find(names, &(&1 != "0" and not String.starts_with?(&1, "0:") and &1 not in @best_first))
        all = Enum.join(@best_first, ", ")
        if wrong, do: raise(ArgumentError, "TIERUP_FALLBACK: #{wrong} is no variant: use 1, or a list of 0 and #{all}")
        names
    end
  end

  # The first of these rows that can run, and the line for standard error.
  defp fall_back(reason, names, baselines) do
    tried =
      Enum.reduce_while(names, "", fn name, tried ->
        try do
          {:halt, load(name, baselines)}
        rescue
          error in [ArgumentError, Unavailable] -> {:cont, "#{tried}\n  #{in_one_line(error.message)}"}
        end
      end)

    if is_binary(tried), do: raise(Unavailable, "#{reason.message}\nnor at what TIERUP_FALLBACK permits:#{tried}")
    line = in_one_line(reason.message)
    IO.puts(:stderr, "#{line}; falling back to tier #{elem(tried, 0)}")
    {tried, line}
  end

  defp in_one_line(words), do: words |> String.split() |> Enum.join(" ")
end

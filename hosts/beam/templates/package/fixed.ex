
@doc """
Chooses the tier at which the functions run: the one that `TIERUP_TIER` names, otherwise the best that was built.
Returns its name, e.g. `"3:native"`. Raises `{{module}}.Unavailable` or `ArgumentError` if it cannot run here.

Options, which the application's environment may have too (`config :{{application}}, baseline: MyServer.Own`):

- `:baseline`: tier 0, the server's own: a module with functions of the same names, a function if there is only
  one, or a map of functions by name
- `:baselines`: other baselines by label: `%{"tuned" => MyServer.Tuned}` is run as tier `0:tuned`
- `:tier`: what to run instead of what `TIERUP_TIER` says, e.g. `"1:pool"`

Without a call of this function, the first call of any other one chooses.
"""
@spec bind(keyword()) :: String.t()
def bind(options \\ []), do: {{module}}.Tierup.Binding.bind(options)

@doc "The tier that runs, e.g. `3:native`."
@spec tier() :: String.t()
def tier, do: {{module}}.Tierup.Binding.tier()

@doc "Returns when calls are answered at full speed: programs started, libraries loaded."
@spec ready() :: :ok | {:error, Exception.t()}
def ready, do: {{module}}.Tierup.Binding.ready()

@doc """
What runs and why, and how many calls were made and have failed in this node since the tier was chosen. It waits for nothing.

- `:tier`: what runs; `:asked`: what `TIERUP_TIER` or the option asked for, `""` if neither did; `:instead`: why another tier
  runs than the one to expect (`TIERUP_FALLBACK`, or no variant is built), otherwise `""`
- `:package`, and `:abi`: the hash of its interface
- `:calls`: all, also those whose arguments were refused; `:errors`: `CallError`, and at tier 0 whatever your own code raised;
  `:panics`: `PanicError`; `:timeouts`: `CallTimeoutError`; `:lost`: `TransportError`
"""
@spec metrics() :: %{
        package: String.t(),
        tier: String.t(),
        asked: String.t(),
        instead: String.t(),
        abi: String.t(),
        calls: non_neg_integer(),
        errors: non_neg_integer(),
        panics: non_neg_integer(),
        timeouts: non_neg_integer(),
        lost: non_neg_integer()
      }
def metrics, do: {{module}}.Tierup.Binding.metrics()

@doc "Makes the golden call of `[health]` in `tierup.toml`."
@spec check_health() :: :ok | {:error, Exception.t()}
def check_health, do: {{module}}.Tierup.Health.check()

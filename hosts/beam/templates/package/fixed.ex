
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

@doc "Makes the golden call of `[health]` in `tierup.toml`."
@spec check_health() :: :ok | {:error, Exception.t()}
def check_health, do: {{module}}.Tierup.Health.check()

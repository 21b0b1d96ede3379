# Made by tierup; the same in every package.
#
# The ways in which a call can fail. Arguments that do not fit the signature are an ArgumentError instead.

defmodule {{module}}.CallError do
  @moduledoc "The function itself returned an error, with its message."
  defexception [:message]
end

defmodule {{module}}.PanicError do
  @moduledoc "The function panicked. The next call is unharmed."
  defexception [:message]
end

defmodule {{module}}.TransportError do
  @moduledoc "The call or its answer was lost: a process died, or a program is out of date."
  defexception [:message]
end

defmodule {{module}}.CallTimeoutError do
  @moduledoc "The call was not answered within TIERUP_CALL_TIMEOUT."
  defexception [:message]
end

defmodule {{module}}.Unavailable do
  @moduledoc "A variant cannot run here, and why."
  defexception [:message]
end

defmodule {{module}}.HealthError do
  @moduledoc "The golden call of `[health]` in tierup.toml failed, or its answer is wrong."
  defexception [:message]
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The exceptions of calls.

# The base of these errors. Arguments that do not fit are Ruby's own TypeError, RangeError and ArgumentError.
class {{module}}::Error < StandardError; end

# The function itself returned an error, with its message.
class {{module}}::CallError < {{module}}::Error; end

# The function panicked, or a Wasm module trapped. Later calls are not affected.
class {{module}}::PanicError < {{module}}::Error; end

# The call or its answer was lost: a process died, or a binary is out of date.
class {{module}}::TransportError < {{module}}::Error; end

# The call was not answered within TIERUP_CALL_TIMEOUT.
class {{module}}::CallTimeoutError < {{module}}::TransportError; end

# A variant cannot run here. The message says why.
class {{module}}::Unavailable < {{module}}::Error; end

# The golden call of `[health]` in tierup.toml failed, or its answer is wrong.
class {{module}}::HealthError < {{module}}::Error; end

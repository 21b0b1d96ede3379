# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `2:core`: another extension, which runs the functions as WebAssembly in a sandbox: a stack overflow is a PanicError,
# and TIERUP_CALL_TIMEOUT ends a call.

require_relative "native"

class {{module}}::Tierup::Core < {{module}}::Tierup::Native
  LIBRARY = "{{gem}}_core.#{RbConfig::CONFIG["DLEXT"]}"
end

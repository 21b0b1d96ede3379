# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `3:native`: the extension. Functions of only text and bytes get them unencoded.
#
# The VM's lock is not held while Rust runs.

require_relative "encoded"
require_relative "../answers"
require_relative "../built"

class {{module}}::Tierup::Native < {{module}}::Tierup::Encoded
  LIBRARY = "{{gem}}_native.#{RbConfig::CONFIG["DLEXT"]}"

  def initialize(variant)
    super()
    # The extension defines the method `tierup_call` here, and one for each function of text and bytes.
    require {{module}}::Tierup::Built.artifact(variant, self.class::LIBRARY)
    reason = tierup_ready
    raise {{module}}::Unavailable, reason if reason
    return if tierup_abi == {{module}}::Tierup::ABI

    raise {{module}}::Unavailable, "the loaded extension has another interface than this package: run `tierup build`, then start anew"
  end

  def call(number, arguments)
    function = {{module}}::Tierup::FUNCTIONS[number]
    {{module}}::Tierup::Answers.read(function, tierup_call(number, function.encoded(arguments)))
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The functions as a server calls them, bound to a tier. The call is the same at every tier. Methods of Ruby's own are called by
# their module, as a function of yours may have the name of one (`Kernel.raise`).

require_relative "tiers"
require_relative "health"
require_relative "../functions"

# The functions at one tier. Made by `{{module}}.with`.
class {{module}}::Binding
  include {{module}}::Functions

  # @!visibility private
  def initialize(chosen)
    @tierup_chosen = chosen
    @tierup_variant = chosen.variant
    @tierup_lock = ::Mutex.new
    @tierup_is_open = true
  end

  # The tier that runs, e.g. `3:native`.
  # @return [String]
  def tier = @tierup_chosen.tier

  # Returns when calls are answered at full speed: workers started.
  # @return [void]
  def ready
    @tierup_variant.ready
    nil
  end

  # Makes the golden call of `[health]` in `tierup.toml`; raises if its answer is wrong.
  # @return [void]
  # @raise [HealthError]
  def check_health = {{module}}::Tierup::Health.check(@tierup_variant, tier)

  # Frees this binding's processes and instances. It waits for running calls until their time-out, or 10 seconds without one,
  # and then ends calls that can be ended.
  # @return [void]
  def close
    is_open = @tierup_lock.synchronize { @tierup_is_open.tap { @tierup_is_open = false } }
    @tierup_chosen.release.call if is_open
    nil
  end

  # @return [String]
  def inspect = "#<{{module}}::Binding at tier #{tier}>"
  alias to_s inspect
end

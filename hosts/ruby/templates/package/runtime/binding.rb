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
    tierup_use(chosen)
    # Ruby changes threads where methods and loops end, never within `@tierup_calls += 1`, which needs no lock.
    @tierup_calls = 0
    @tierup_failures = { errors: 0, panics: 0, timeouts: 0, lost: 0 }
    @tierup_lock = ::Mutex.new
    @tierup_is_open = true
  end

  # It counts its calls.
  # @!visibility private
  def freeze = self

  # The tier that runs, e.g. `3:native`.
  # @return [String]
  def tier = @tierup_chosen.tier

  # Returns when calls are answered at full speed: workers started.
  # @return [void]
  def ready
    @tierup_variant.ready
    nil
  end

  # What runs and why, and what became of this binding's calls in this process: `package`, `tier`, `asked` (by TIERUP_TIER or the
  # option), `abi`, `instead` (why another tier runs than the one to expect), `calls`, `errors`, `panics`, `timeouts` and `lost`. It
  # waits for nothing. A forked child goes on from its parent's numbers.
  # @return [Hash{Symbol => String, Integer}]
  def metrics
    {
      package: {{module}}::Tierup::PACKAGE, tier: tier, asked: @tierup_chosen.asked, abi: {{module}}::Tierup::ABI,
      instead: @tierup_chosen.instead, calls: @tierup_calls, **@tierup_failures
    }
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

  private

  def tierup_use(chosen)
    @tierup_chosen = chosen
    @tierup_variant = chosen.variant
  end

  # Counts how the call has failed, and raises its error again.
  def tierup_failed
    count = case $!
            when {{module}}::CallError then :errors
            when {{module}}::PanicError then :panics
            when {{module}}::CallTimeoutError then :timeouts
            when {{module}}::TransportError then :lost
            when {{module}}::Unavailable then nil
            # Any other error of tier 0 is the server's own. In Rust, the arguments were refused.
            else :errors if tier.start_with?("0")
            end
    @tierup_failures[count] += 1 if count
    ::Kernel.raise
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The functions bound to a tier. A server's calls are the same at every tier. Ruby's own methods are called on their
# module, as a function of yours may have the name of one (`Kernel.raise`).

require_relative "tiers"
require_relative "health"
require_relative "../functions"

# The functions at one tier. `{{module}}.with` returns it.
class {{module}}::Binding
  include {{module}}::Functions

  # @!visibility private
  def initialize(chosen)
    tierup_use(chosen)
    # Ruby switches threads where methods and loops end, never within `@tierup_calls += 1`, which so needs no lock.
    @tierup_calls = 0
    @tierup_failures = { errors: 0, panics: 0, timeouts: 0, lost: 0 }
    @tierup_lock = ::Mutex.new
    @tierup_is_open = true
  end

  # Does nothing, as a binding counts its calls.
  # @!visibility private
  def freeze = self

  # The tier that runs, e.g. `3:native`.
  # @return [String]
  def tier = @tierup_chosen.tier

  # Returns once calls are answered at full speed: workers have started.
  # @return [void]
  def ready
    @tierup_variant.ready
    nil
  end

  # What runs and why, and how this binding's calls in this process have ended: `package`, `tier`, `asked` (by
  # TIERUP_TIER or the option), `abi`, `instead` (why an unexpected tier runs), `calls`, `errors`, `panics`, `timeouts`
  # and `lost`. It never blocks. A forked child continues its parent's numbers.
  # @return [Hash{Symbol => String, Integer}]
  def metrics
    {
      package: {{module}}::Tierup::PACKAGE, tier: tier, asked: @tierup_chosen.asked, abi: {{module}}::Tierup::ABI,
      instead: @tierup_chosen.instead, calls: @tierup_calls, **@tierup_failures
    }
  end

  # Makes the golden call of `[health]` in `tierup.toml`. Raises if its answer is wrong.
  # @return [void]
  # @raise [HealthError]
  def check_health = {{module}}::Tierup::Health.check(@tierup_variant, tier)

  # Frees processes and instances. Waits for running calls until their time-out, or 10 seconds without one, then ends
  # those that can be ended.
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
            # At tier 0, any other error is the server's own. In Rust, it means refused arguments.
            else :errors if tier.start_with?("0")
            end
    @tierup_failures[count] += 1 if count
    ::Kernel.raise
  end
end

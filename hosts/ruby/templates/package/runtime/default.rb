# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The module's own functions: a binding without a baseline, at the tier that TIERUP_TIER names at the first use.

require_relative "binding"

# The functions at the tier that TIERUP_TIER names, or at the best tier that was built.
#
# @param baseline [Module, Object, Hash, Proc, Method, String, nil] tier 0, the server's own: a function, if there is
#   only one; a module, an object or a Hash with functions of the same names; or where to load it from, as
#   "file:Constant" or "file:Constant.method"
# @param baselines [Hash, nil] further baselines by label: "tuned" runs as tier "0:tuned"
# @param tier [String, nil] the tier to run instead of the one that TIERUP_TIER names, e.g. "3:native"
# @return [Binding]
# @raise [Unavailable] if that tier cannot run here
def {{module}}.with(baseline: nil, baselines: nil, tier: nil)
  {{module}}::Binding.new({{module}}::Tierup::Tiers.choose(baseline, baselines, tier))
end

# Takes the place of the variant in the module's own binding until the first call.
class {{module}}::Tierup::Default
  {{module}}::Tierup::FUNCTIONS.each_index do |number|
    name = :"f#{number}"
    define_method(name) { |*arguments| {{module}}::Tierup::Default.variant.public_send(name, *arguments) }
  end

  BINDING = {{module}}::Binding.new({{module}}::Tierup::Tiers::Chosen.new("", new))
  @lock = Mutex.new

  class << self
    # The module's own binding, with its tier chosen.
    def bound
      @bound || @lock.synchronize do
        @bound ||= BINDING.tap { |binding| binding.__send__(:tierup_use, {{module}}::Tierup::Tiers.choose(nil, nil, nil)) }
      end
    end

    def variant = bound.instance_variable_get(:@tierup_variant)

    def close = @bound&.close
  end
end

# The tier that runs, e.g. `3:native`.
# @return [String]
def {{module}}.tier = {{module}}::Tierup::Default.bound.tier

# Returns once calls are answered at full speed: workers have started.
# @return [void]
def {{module}}.ready = {{module}}::Tierup::Default.bound.ready

# What runs and why, and how the module's own calls have ended: see {Binding#metrics}.
# @return [Hash{Symbol => String, Integer}]
def {{module}}.metrics = {{module}}::Tierup::Default.bound.metrics

# Makes the golden call of `[health]` in `tierup.toml`. Raises if its answer is wrong.
# @return [void]
def {{module}}.check_health = {{module}}::Tierup::Default.bound.check_health

# Frees the resources of the module's own functions, if they were called.
# @return [void]
def {{module}}.close
  {{module}}::Tierup::Default.close
  nil
end

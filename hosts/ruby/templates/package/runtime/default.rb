# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The functions of the module itself: a binding without a baseline, at the tier that TIERUP_TIER names when they are first used.

require_relative "binding"

# The functions at one tier: the one that TIERUP_TIER names, otherwise the best that was built.
#
# @param baseline [Module, Object, Hash, Proc, Method, String, nil] tier 0, the server's own: a function, where there is only one;
#   a module, an object or a Hash with functions of the same names; or where to load it from, as "file:Constant" or
#   "file:Constant.method"
# @param baselines [Hash, nil] other baselines by label: "tuned" is run as tier "0:tuned"
# @param tier [String, nil] what to run instead of what TIERUP_TIER says, e.g. "3:native"
# @return [Binding]
# @raise [Unavailable] where that tier cannot run here
def {{module}}.with(baseline: nil, baselines: nil, tier: nil)
  {{module}}::Binding.new({{module}}::Tierup::Tiers.choose(baseline, baselines, tier))
end

# Stands for the variant of the module's own binding until the first call.
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

# Returns when calls are answered at full speed: workers started.
# @return [void]
def {{module}}.ready = {{module}}::Tierup::Default.bound.ready

# What runs and why, and what became of the module's own calls: see {Binding#metrics}.
# @return [Hash{Symbol => String, Integer}]
def {{module}}.metrics = {{module}}::Tierup::Default.bound.metrics

# Makes the golden call of `[health]` in `tierup.toml`; raises if its answer is wrong.
# @return [void]
def {{module}}.check_health = {{module}}::Tierup::Default.bound.check_health

# Frees what the module's own functions use, if they were called.
# @return [void]
def {{module}}.close
  {{module}}::Tierup::Default.close
  nil
end

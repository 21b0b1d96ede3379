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

class {{module}}::Tierup::Default
  # Stands for the variant until the first call.
  {{module}}::Tierup::FUNCTIONS.each_index do |number|
    name = :"f#{number}"
    define_method(name) { |*arguments| {{module}}::Tierup::Default.variant.public_send(name, *arguments) }
  end

  @lock = Mutex.new

  class << self
    # The module's own binding.
    def bound
      @bound || @lock.synchronize do
        @bound ||= begin
          binding = {{module}}.with
          variant = binding.instance_variable_get(:@tierup_variant)
          {{module}}.instance_variable_set(:@tierup_variant, variant)
          binding
        end
      end
    end

    def variant = bound.instance_variable_get(:@tierup_variant)

    def close = @bound&.close
  end
end

{{module}}.instance_variable_set(:@tierup_variant, {{module}}::Tierup::Default.new)

# The tier that runs, e.g. `3:native`.
# @return [String]
def {{module}}.tier = {{module}}::Tierup::Default.bound.tier

# Returns when calls are answered at full speed: workers started.
# @return [void]
def {{module}}.ready = {{module}}::Tierup::Default.bound.ready

# Makes the golden call of `[health]` in `tierup.toml`; raises if its answer is wrong.
# @return [void]
def {{module}}.check_health = {{module}}::Tierup::Default.bound.check_health

# Frees what the module's own functions use, if they were called.
# @return [void]
def {{module}}.close
  {{module}}::Tierup::Default.close
  nil
end

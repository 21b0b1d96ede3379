# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The tiers without anything built: 0 and 0:LABEL, the server's own functions.

require_relative "errors"
require_relative "baselines"
require_relative "fallbacks"
require_relative "variants/baseline"

module {{module}}::Tierup::Tiers
  REASON = "no variant is built here: run `tierup build`"
  PACKAGE = {{module}}::Tierup::PACKAGE

  Chosen = Struct.new(:tier, :variant, :release, :asked, :instead)
  @said = {}

  class << self
    # Loads the requested tier.
    def choose(baseline, baselines, tier)
      found = {{module}}::Tierup::Baselines.read(baseline, baselines)
      asked = tier.nil? ? ENV.fetch("TIERUP_TIER", "") : tier
      say("#{PACKAGE}: TIERUP_ROLLOUT is not obeyed: #{REASON}") unless ENV.fetch("TIERUP_ROLLOUT", "").empty?
      raise TypeError, "tier must be a String such as \"3:native\", got #{asked.class}" unless String === asked

      chosen = {{module}}::Tierup::Fallbacks.around(->(name) { load(name, found) }) do
        asked.empty? ? unasked(found) : load(asked, found)
      end
      chosen.tap { chosen.asked = asked }
    end

    private

    def unasked(baselines)
      unless baselines.key?("")
        raise {{module}}::Unavailable, "#{PACKAGE} has nothing to run: it has no baseline, and #{REASON}"
      end

      chosen = load("0", baselines)
      chosen.tap { chosen.instead = say("#{PACKAGE}: your own code runs, at tier 0, as #{REASON}") }
    end

    def baseline?(asked)
      asked == "0" || (asked.start_with?("0:") && !{{module}}::Tierup::Baselines::RESERVED.include?(asked.delete_prefix("0:")))
    end

    def load(name, baselines)
      raise {{module}}::Unavailable, "#{PACKAGE} cannot run at tier #{name}: #{REASON}" unless baseline?(name)

      label = name.delete_prefix("0").delete_prefix(":")
      functions = baselines[label]
      if functions.nil?
        option = label.empty? ? "baseline: …" : "baselines: { #{label.inspect} => … }"
        raise ArgumentError, "tier #{name} needs the function that #{PACKAGE} replaces: hand it over as with(#{option})"
      end
      Chosen.new(name, {{module}}::Tierup::Baseline.new(functions), -> {}, name, "")
    end

    # Reports once on standard error what runs instead of Rust, and returns it.
    def say(line)
      Kernel.warn(line) unless @said[line]
      @said[line] = true
      line
    end
  end
end

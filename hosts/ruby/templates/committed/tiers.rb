# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The tiers without anything built: 0 and 0:LABEL, the server's own functions.

require_relative "errors"
require_relative "baselines"
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
      return load(asked, found, asked, "") if baseline?(asked)

      refusal = "#{PACKAGE} cannot run at tier #{asked}: #{REASON}"
      raise {{module}}::Unavailable, refusal unless asked.empty? || ENV["TIERUP_FALLBACK"] == "1"
      unless found.key?("")
        raise {{module}}::Unavailable, "#{PACKAGE} has nothing to run: it has no baseline, and #{REASON}"
      end

      instead = asked.empty? ? "#{PACKAGE}: your own code runs, at tier 0, as #{REASON}" : refusal
      say(asked.empty? ? instead : "#{refusal}; falling back to tier 0")
      load("0", found, asked, instead)
    end

    private

    def baseline?(asked)
      asked == "0" || (asked.start_with?("0:") && !{{module}}::Tierup::Baselines::RESERVED.include?(asked.delete_prefix("0:")))
    end

    def load(name, baselines, asked, instead)
      label = name.delete_prefix("0").delete_prefix(":")
      functions = baselines[label]
      if functions.nil?
        option = label.empty? ? "baseline: …" : "baselines: { #{label.inspect} => … }"
        raise ArgumentError, "tier #{name} needs the function that #{PACKAGE} replaces: hand it over as with(#{option})"
      end
      Chosen.new(name, {{module}}::Tierup::Baseline.new(functions), -> {}, asked, instead)
    end

    # Reports once on standard error what runs instead of Rust.
    def say(line)
      Kernel.warn(line) unless @said[line]
      @said[line] = true
    end
  end
end

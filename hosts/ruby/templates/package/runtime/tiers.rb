# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Which tier answers: the one that TIERUP_TIER names, or the best variant that was built.
#
# A variant is a class in `variants/`, made with the variant's name. It raises `Unavailable` with the reason if the
# variant cannot run. Its objects have a method `f0`, `f1`, … for each function by number, `ready` (returns once no call
# has to wait for a start) and `close` (frees everything). Calls raise TypeError, RangeError and ArgumentError for
# arguments that do not fit the signature, CallError, PanicError, TransportError and CallTimeoutError. They may come
# from any thread, and from a process that was forked after the variant was made.

require "monitor"
require_relative "errors"
require_relative "baselines"
require_relative "built"
require_relative "fallbacks"

module {{module}}::Tierup::Tiers
  Built = {{module}}::Tierup::Built
  Unavailable = {{module}}::Unavailable
  PACKAGE = {{module}}::Tierup::PACKAGE

  # All variants in Rust with files and classes, in the order of `Fallbacks::BEST_FIRST`. If TIERUP_TIER requests none, the
  # first built one runs.
  VARIANTS = {
    "3:native" => %i[native Native],
    "3:async" => %i[threaded Threaded],
    "2:core" => %i[core Core],
    "1:pool" => %i[pool Pool],
    "1:spawn" => %i[spawn Spawn],
  }.freeze

  # The wrappers of the baseline, by label, with their files and classes.
  WRAPPERS = { "free" => %i[free Free], "memo" => %i[memo Memo] }.freeze

  # The variants of each tier, the preferred one first.
  OF_TIER = { "1" => %w[1:pool 1:spawn], "2" => %w[2:core], "3" => %w[3:native 3:async] }.freeze

  # Variants of other hosts, and why this host lacks them.
  ELSEWHERE = {
    "0:workers" => "servers of Ruby fork processes themselves, as puma does with `workers`",
    "2:bindgen" => "wasm-bindgen supports only JavaScript; use 2:core",
    "2:component" => "Ruby has no Wasm runtime, and the embedded one runs 2:core; use 2:core",
  }.freeze

  # A loaded variant, its release, and facts for `metrics`.
  Chosen = Struct.new(:tier, :variant, :release, :asked, :instead)

  # A variant in use. All bindings share it, so there is one pool.
  Entry = Struct.new(:variant, :users)
  @shared = {}
  @lock = Monitor.new

  class << self
    # Loads the requested tier.
    def choose(baseline, baselines, tier)
      found = {{module}}::Tierup::Baselines.read(baseline, baselines)
      asked = tier.nil? ? ENV.fetch("TIERUP_TIER", "") : tier
      raise TypeError, "tier must be a String such as \"3:native\", got #{asked.class}" unless String === asked

      chosen = {{module}}::Tierup::Fallbacks.around(->(name) { load(name, found) }) do
        first = load(name_of(without_alternative(asked), found), found)
        first.tap { first.instead = asked.empty? && first.tier == "0" ? unasked : "" }
      end
      chosen.asked = asked
      path = ENV.fetch("TIERUP_ROLLOUT", "")
      path.empty? ? chosen : around_rollout(chosen, path)
    end

    private

    def around_rollout(chosen, path)
      require_relative "rollout"
      {{module}}::Tierup::Rollout.around(chosen, path, ->(name) { load(name, {}) })
    end

    # Reports once that tier 0 runs although it was not requested, and returns the message.
    def unasked
      @unasked ||= "#{PACKAGE}: your own code runs, at tier 0, as #{Built::NOTHING}".tap { |line| Kernel.warn(line) }
    end

    # NAME of TIERUP_TIER=3:native#NAME, or "". Rust reads it once, so the whole process calls one implementation.
    def alternative = ENV.fetch("TIERUP_TIER", "").partition("#").last

    # The requested row without its alternative: `3:native` for `3:native#NAME`.
    def without_alternative(asked)
      base, mark, name = asked.partition("#")
      is_baseline = base == "0" || base.start_with?("0:")
      known = {{module}}::Tierup::ALTERNATIVES
      if is_baseline
        raise ArgumentError, "#{asked} is not a tier: #{base} runs no Rust, so it has no alternatives" unless mark.empty?
      elsif !mark.empty? && !known.include?(name)
        has = known.empty? ? "has none" : "has #{known.join(", ")}"
        raise ArgumentError, "#{PACKAGE} has no alternative '#{name}': [function.alternatives] in tierup.toml #{has}"
      elsif name != alternative
        raise ArgumentError, "an alternative holds for the whole process: set TIERUP_TIER=#{asked}, rather than ask for #{asked} beside another"
      end
      base
    end

    # The name of the requested row.
    def name_of(asked, baselines)
      return best(baselines) if asked.empty?
      if %w[4 4:server].include?(asked)
        raise ArgumentError, "tier 4 is a separate server, which #{PACKAGE} cannot load: run `tierup serve --tier 4`"
      end
      raise Unavailable, "#{PACKAGE} cannot run at tier #{asked}: #{ELSEWHERE[asked]}" if ELSEWHERE.key?(asked)
      return asked if asked == "0" || asked.start_with?("0:") || VARIANTS.key?(asked)

      variants = OF_TIER[asked]
      if variants.nil?
        raise ArgumentError, "#{asked} is not a tier: use 0, 0:free, 0:memo, 0:LABEL, 1, 2, 3 or one of #{VARIANTS.keys.join(", ")}"
      end
      variants.find { |name| Built.built?(name) } ||
        raise(Unavailable, "#{PACKAGE} cannot run at tier #{asked}:#{reasons(variants)}")
    end

    # The best variant that was built, or the baseline if none was.
    def best(baselines)
      # A variant was built for another interface. Running the baseline would hide that.
      raise Unavailable, "#{PACKAGE} cannot run: #{Built::STALE}" if Built.stale?

      VARIANTS.keys.find { |name| Built.built?(name) } || (baselines.key?("") && "0") ||
        raise(Unavailable, "#{PACKAGE} has nothing to run: it has no baseline, and#{reasons(VARIANTS.keys)}")
    end

    def reasons(variants) = variants.map { |variant| "\n  #{variant}: #{Built.why_not(variant)}" }.join

    def load(name, baselines)
      return load_baseline(name, baselines) if name == "0" || name.start_with?("0:")

      Built.require_built(name)
      share(name)
    end

    def load_baseline(name, baselines)
      label = name.delete_prefix("0").delete_prefix(":")
      wrapper = WRAPPERS[label]
      functions = baselines[wrapper ? "" : label]
      if functions.nil?
        option = label.empty? || wrapper ? "baseline: …" : "baselines: { #{label.inspect} => … }"
        raise ArgumentError, "tier #{name} needs the function that #{PACKAGE} replaces: hand it over as with(#{option})"
      end
      file, type = wrapper || %i[baseline Baseline]
      made = variant(file, type).new(functions)
      Chosen.new(name, made, -> { made.close })
    end

    def variant(file, type)
      require_relative "variants/#{file}"
      {{module}}::Tierup.const_get(type)
    end

    def share(name)
      entry = @lock.synchronize do
        entry = @shared[name] ||= Entry.new(load_variant(name), 0)
        entry.users += 1
        entry
      end
      tier = alternative.empty? ? name : "#{name}##{alternative}"
      Chosen.new(tier, entry.variant, -> { release(name, entry) })
    end

    def release(name, entry)
      is_last = @lock.synchronize do
        entry.users -= 1
        entry.users.zero? && @shared.delete(name)
      end
      entry.variant.close if is_last
    end

    def load_variant(name)
      file, type = VARIANTS.fetch(name)
      variant(file, type).new(name)
    rescue StandardError, LoadError => error
      raise Unavailable, "#{PACKAGE} cannot run at tier #{name}: #{error.message}"
    end
  end
end

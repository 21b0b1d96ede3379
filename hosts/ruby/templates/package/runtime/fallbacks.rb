# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# What runs instead where the requested tier cannot: the rows that TIERUP_FALLBACK permits.

require_relative "errors"

module {{module}}::Tierup::Fallbacks
  # Every variant in Rust, the best first: the order in which one is chosen by default.
  BEST_FIRST = %w[3:native 3:async 2:core 1:pool 1:spawn].freeze
  @said = {}

  class << self
    # What the block returns. If it raises Unavailable: what `load` makes of the first fallback that can run.
    def around(load)
      names = permitted
      begin
        yield
      rescue {{module}}::Unavailable => error
        raise if names.empty?

        fall_back(error, names, load).tap { |chosen| chosen.instead = in_one_line(error) }
      end
    end

    private

    # The rows that it permits, in order: none if it is empty or `0`, all for `1`, or those that it lists, as `2:core,0`.
    def permitted
      listed = ENV.fetch("TIERUP_FALLBACK", "").strip
      return [] if listed == "0"
      return [*BEST_FIRST, "0"] if listed == "1"

      names = listed.split(",").map(&:strip).reject(&:empty?)
      wrong = names.find { |name| name != "0" && !name.start_with?("0:") && !BEST_FIRST.include?(name) }
      return names unless wrong

      raise ArgumentError, "TIERUP_FALLBACK: #{wrong} is no variant: use 1, or a list of 0 and #{BEST_FIRST.join(", ")}"
    end

    # The first of these rows that loads, with one line on standard error.
    def fall_back(reason, names, load)
      others = names.map do |name|
        chosen = load.call(name)
        line = "#{in_one_line(reason)}; falling back to tier #{name}"
        Kernel.warn(line) unless @said[line]
        @said[line] = true
        return chosen
      rescue {{module}}::Unavailable, ArgumentError => error
        "\n  #{in_one_line(error)}"
      end
      raise {{module}}::Unavailable, "#{reason.message}\nnor at what TIERUP_FALLBACK permits:#{others.join}"
    end

    def in_one_line(error) = error.message.split.join(" ")
  end
end

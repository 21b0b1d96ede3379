# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A rollout inside the process. TIERUP_ROLLOUT names a control file, which sets the share of calls that is compared with
# a candidate (shadow), and the share that it answers (share). The control, i.e. the chosen tier, answers all other
# calls, and all calls without a valid file. Only functions that tierup.toml declares pure take part.
#
# All bindings of a process share one rollout. A thread reads the file once a second. A forked child starts its own at
# its first call.

require "monitor"
require_relative "rollout/in_process"

module {{module}}::Tierup::Rollout
  # Wraps the chosen tier as the control of a rollout.
  class Control
    def initialize(rollout, tier, variant)
      @rollout = rollout
      @variant = variant
      {{module}}::Tierup::FUNCTIONS.each_index do |number|
        control = variant.method(:"f#{number}")
        call = {{module}}::Tierup::PURE.include?(number) ? ->(arguments) { rollout.call(number, control, tier, arguments) } : nil
        define_singleton_method(control.name) { |*arguments| call ? call.(arguments) : control.call(*arguments) }
      end
    end

    def ready
      @variant.ready
      @rollout.ready
    end
  end

  @lock = Monitor.new
  @users = 0

  class << self
    # Wraps the chosen tier as the control of a rollout. If there can be none, reports why. `load` loads a candidate.
    def around(chosen, path, load)
      raise "it needs a system with Unix sockets" unless defined?(UNIXSocket)

      own = @lock.synchronize { (@rollout ||= {{module}}::Tierup::InProcess.new(path, load)).tap { @users += 1 } }
      release = chosen.release
      chosen.variant = Control.new(own, chosen.tier, chosen.variant)
      chosen.release = -> { leave(own, release) }
      chosen
    rescue StandardError => error
      @is_refused ||= tell(" is not obeyed: #{error.message}")
      chosen
    end

    # Does not use `warn`, which a server may have changed. It blocks if nobody reads standard error.
    def tell(words)
      $stderr.write("#{{{module}}::Tierup::PACKAGE}: TIERUP_ROLLOUT#{words}\n")
    rescue StandardError
      true
    end

    # Sends the last counts. This never blocks.
    def at_exit = @rollout&.at_exit

    private

    def leave(own, release)
      is_last = @lock.synchronize do
        @users -= 1
        @rollout = nil if @users.zero?
        @users.zero?
      end
      own.close if is_last
    ensure
      release.call
    end
  end
end

at_exit { {{module}}::Tierup::Rollout.at_exit }

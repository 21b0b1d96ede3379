# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# What a forked child must give up: pipes of processes that are its parent's.

require "monitor"

# Called at every `fork` of Ruby, but not at `Process.daemon` and the like. So pools also compare process ids.
module {{module}}::Tierup::Forks
  # Held while a process is being started. A fork waits for it, as the child could not find half-made pipes.
  STARTING = Monitor.new
  # The users of processes. Each removes itself at its end: Ruby 3.1's WeakMap returns collected objects.
  @objects = {}.compare_by_identity

  class << self
    # Calls `thing.after_fork` in every forked child until the thing is forgotten. It returns whether to keep it.
    def renew(thing) = STARTING.synchronize { @objects[thing] = true }

    def forget(thing) = STARTING.synchronize { @objects.delete(thing) }

    # Takes no lock: a signal's handler may fork, and a child has only one thread.
    def in_child = @objects.keep_if { |thing, _| thing.after_fork }
  end

  # Prepended to Ruby's own method.
  module Hook
    def _fork
      is_held = begin
        {{module}}::Tierup::Forks::STARTING.enter
        true
      rescue ThreadError
        # A signal's handler may fork, but cannot wait for a lock.
        false
      end
      begin
        process = super
      ensure
        {{module}}::Tierup::Forks::STARTING.exit if is_held
      end
      {{module}}::Tierup::Forks.in_child if process.zero?
      process
    end
  end
  Process.singleton_class.prepend(Hook)
end

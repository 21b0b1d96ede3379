# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# What a forked child has to give up: pipes of processes that are its parent's.

require "monitor"

# Called at every `fork` of Ruby. `Process.daemon` and the like do not pass here: pools also compare process ids.
module {{module}}::Tierup::Forks
  # Held while a process is being started. A fork waits for it, because the child could not find pipes that are half made.
  STARTING = Monitor.new
  # The present users of processes. Each removes itself when it has ended: Ruby 3.1's WeakMap returns objects that were collected.
  @objects = {}.compare_by_identity

  class << self
    # Calls `thing.after_fork` in every child that is forked until the thing is forgotten. It returns whether the child keeps it.
    def renew(thing) = STARTING.synchronize { @objects[thing] = true }

    def forget(thing) = STARTING.synchronize { @objects.delete(thing) }

    # Without the lock: a signal's handler may fork, and a child has only one thread.
    def in_child = @objects.keep_if { |thing, _| thing.after_fork }
  end

  # Hooked into Ruby's own method.
  module Hook
    def _fork
      is_held = begin
        {{module}}::Tierup::Forks::STARTING.enter
        true
      rescue ThreadError
        # A signal's handler may fork, but not wait for a lock.
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

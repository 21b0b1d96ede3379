# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A lock that interrupts (`Timeout`, `Thread#kill`) cannot break.

class {{module}}::Tierup::Lock
  NEVER = { Object => :never }.freeze

  def initialize = @mutex = Mutex.new

  # Interrupts wait until the block has ended, so no change is left half done. They also wait while the lock is awaited:
  # in Ruby 3.1, a thread killed there may take the wake-up of the next thread with it, which then waits forever.
  def synchronize(&change)
    Thread.handle_interrupt(NEVER) { @mutex.synchronize(&change) }
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A lock that an interrupt (`Timeout`, `Thread#kill`) can do no harm to.

class {{module}}::Tierup::Lock
  NEVER = { Object => :never }.freeze

  def initialize = @mutex = Mutex.new

  # Interrupts wait until the block has ended, so that no change is left half done. While waiting for the lock, too: in Ruby 3.1, a thread
  # that is killed there may take the wake-up of the next one with it, which then waits for ever.
  def synchronize(&change)
    Thread.handle_interrupt(NEVER) { @mutex.synchronize(&change) }
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# How a variant with processes waits for its calls at the end. It has a `@lock`, a condition `@changed`, and `@is_closed`.

require_relative "../limits"

module {{module}}::Tierup::Closing
  # How long callers may take to notice that `close` has ended their processes, in seconds.
  GRACE_OF_CALLERS = 5

  private

  # Wakes one waiting call. If the variant is being closed, wakes all and `close`.
  def tell = @is_closed ? @changed.broadcast : @changed.signal

  # Waits for a condition, at most for this many seconds.
  def wait_until(seconds)
    deadline = {{module}}::Tierup::Limits.now + seconds
    @changed.wait(@lock, {{module}}::Tierup::Limits.left(deadline)) until yield || {{module}}::Tierup::Limits.now >= deadline
  end
end

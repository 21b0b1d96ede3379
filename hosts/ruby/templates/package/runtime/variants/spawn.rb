# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `1:spawn`: each call runs the program anew, with the arguments on its standard input.

require_relative "encoded"
require_relative "../answers"
require_relative "../built"
require_relative "../limits"
require_relative "../parallelism"
require_relative "../program"

class {{module}}::Tierup::Spawn < {{module}}::Tierup::Encoded
  Limits = {{module}}::Tierup::Limits

  def initialize(variant)
    super()
    @path = {{module}}::Tierup::Built.program(variant)
    @limits = Limits.new
    # More at once would only wait for processors, and each takes file descriptors.
    @most = 4 * {{module}}::Tierup::Parallelism.count
    renew
    {{module}}::Tierup::Forks.renew(self)
  end

  def call(number, arguments)
    function = {{module}}::Tierup::FUNCTIONS[number]
    encoded = function.encoded(arguments)
    deadline = @limits.deadline
    {{module}}::Tierup::Answers.read(function, in_place(deadline) { run(number, encoded, deadline) })
  end

  def close = {{module}}::Tierup::Forks.forget(self)

  # For a forked child: threads that it does not have hold the places.
  def after_fork
    renew
    true
  end

  private

  def renew
    @lock = Mutex.new
    @freed = ConditionVariable.new
    @running = 0
    @waiting = 0
  end

  def run(number, encoded, deadline)
    process = {{module}}::Tierup::Program.new(@path, "--tierup-call", number.to_s, {{module}}::Tierup::ABI)
    begin
      late = deadline && -> { @limits.took_too_long }
      # The program reads all arguments before it answers. If it ends earlier, its exit code says why.
      process.write(encoded, deadline, &late)
      process.end_input
      process.read_all(deadline, &late)
    ensure
      process.kill
    end
  end

  # Waits until fewer than `@most` calls run.
  def in_place(deadline)
    lock = @lock
    is_taken = false
    Thread.handle_interrupt(Object => :never) do
      lock.synchronize { take(lock, deadline) }
      is_taken = true
      Thread.handle_interrupt(Object => :immediate) { yield }
    ensure
      # A parent's processes do not count in a forked child.
      lock.synchronize { (@running -= 1) && @freed.signal } if is_taken && lock.equal?(@lock)
    end
  end

  def take(lock, deadline)
    if @running >= @most
      raise @limits.too_many if @waiting >= @limits.most_waiting

      @waiting += 1
      begin
        while @running >= @most
          left = Limits.left(deadline)
          raise @limits.waited_too_long if left&.zero?

          Thread.handle_interrupt(Object => :on_blocking) { @freed.wait(lock, left) }
        end
      rescue Exception # rubocop:disable Lint/RescueException
        # A signal that woke this call must wake another one that waits.
        @freed.signal
        raise
      ensure
        @waiting -= 1
      end
    end
    @running += 1
  end
end

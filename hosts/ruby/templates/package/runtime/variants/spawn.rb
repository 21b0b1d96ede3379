# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `1:spawn`: each call runs the program anew, with the arguments on its standard input.

require_relative "closing"
require_relative "encoded"
require_relative "../answers"
require_relative "../built"
require_relative "../limits"
require_relative "../parallelism"
require_relative "../program"

class {{module}}::Tierup::Spawn < {{module}}::Tierup::Encoded
  include {{module}}::Tierup::Closing

  Limits = {{module}}::Tierup::Limits

  def initialize(variant)
    super()
    @path = {{module}}::Tierup::Built.program(variant)
    @limits = Limits.new
    # More at once would only wait for processors, and each takes file descriptors.
    @most = 4 * {{module}}::Tierup::Parallelism.count
    @is_closed = @is_given_up = false
    renew
    {{module}}::Tierup::Forks.renew(self)
  end

  def call(number, arguments)
    function = {{module}}::Tierup::FUNCTIONS[number]
    encoded = function.encoded(arguments)
    deadline = @limits.deadline
    {{module}}::Tierup::Answers.read(function, in_place(deadline) { run(number, encoded, deadline) })
  end

  # Waits for the calls that were made, gives them up if they take too long, and ends their processes.
  def close
    @lock.synchronize do
      @is_closed = true
      wait_until(@limits.grace) { @running.zero? }
      @is_given_up = true
      @processes.each_key(&:give_up)
      @changed.broadcast
      wait_until(GRACE_OF_CALLERS) { @running.zero? }
    end
    {{module}}::Tierup::Forks.forget(self)
  end

  # For a forked child: threads that it does not have hold the places.
  def after_fork
    renew
    true
  end

  private

  def renew
    @lock = Mutex.new
    @changed = ConditionVariable.new
    @running = 0
    @waiting = 0
    @processes = {}.compare_by_identity
  end

  # Interrupts are allowed only while the process is asked, so that no process is lost.
  def run(number, encoded, deadline)
    process = {{module}}::Tierup::Program.new(@path, "--tierup-call", number.to_s, {{module}}::Tierup::ABI)
    begin
      @lock.synchronize do
        @processes[process] = true
        process.give_up if @is_given_up
      end
      Thread.handle_interrupt(Object => :immediate) { ask(process, encoded, deadline) }
    ensure
      process.kill
      @lock.synchronize { @processes.delete(process) }
    end
  end

  def ask(process, encoded, deadline)
    late = deadline && -> { @limits.took_too_long }
    # The program reads all arguments before it answers. If it ends earlier, its exit code says why.
    process.write(encoded, deadline, &late)
    process.end_input
    process.read_all(deadline, &late)
  end

  # Waits until fewer than `@most` calls run.
  def in_place(deadline)
    lock = @lock
    is_taken = false
    Thread.handle_interrupt(Object => :never) do
      lock.synchronize { take(lock, deadline) }
      is_taken = true
      yield
    ensure
      # A parent's processes do not count in a forked child.
      lock.synchronize { (@running -= 1) && tell } if is_taken && lock.equal?(@lock)
    end
  end

  def take(lock, deadline)
    raise {{module}}::TransportError, "the pool is closed" if @is_closed

    if @running >= @most
      raise @limits.too_many if @waiting >= @limits.most_waiting

      @waiting += 1
      begin
        while @running >= @most
          left = Limits.left(deadline)
          raise @limits.waited_too_long if left&.zero?

          Thread.handle_interrupt(Object => :on_blocking) { @changed.wait(lock, left) }
          raise Limits.closed_before if @is_given_up
        end
      rescue Exception # rubocop:disable Lint/RescueException
        # A signal that woke this call must wake another one that waits.
        tell
        raise
      ensure
        @waiting -= 1
      end
    end
    @running += 1
  end
end

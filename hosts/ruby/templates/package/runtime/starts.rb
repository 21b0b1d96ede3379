# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The starts of a pool's workers: the pauses after failed ones, and which waiting calls a failed start ends.
#
# A call waits for a worker at most until the start under way is over and one more has failed. Were each call to wait until some
# start succeeds, workers that hang in turns would keep it waiting for ever. The pool's lock is held in every method.

require_relative "limits"

class {{module}}::Tierup::Starts
  # After a failed start the next one waits: this long at first, then twice as long each time, in seconds.
  FIRST_WAIT = 0.05
  LONGEST_WAIT = 5

  class Start
    # Its process, once there is one; when it was over; why it failed.
    attr_accessor :worker, :end, :error
    attr_reader :number

    def initialize(number, is_retry)
      @number = number
      @is_retry = is_retry
      @is_given_up = false
    end

    # Whether it began after a failed start, before any had succeeded.
    def retry? = @is_retry

    def given_up? = @is_given_up

    def give_up
      @is_given_up = true
      @worker&.give_up
    end
  end

  # How many have begun. A call keeps the number that it found.
  attr_reader :begun
  attr_reader :under_way

  def initialize
    @begun = 0
    @under_way = []
    @next = 0.0
    @failed = 0
    # The last one that ended calls.
    @fatal = nil
  end

  # How many seconds the next start has to wait.
  def pause = [0.0, @next - {{module}}::Tierup::Limits.now].max

  def begin
    @begun += 1
    Start.new(@begun, @failed.positive?).tap { |start| @under_way << start }
  end

  def succeed(start)
    over(start)
    @failed = 0
  end

  # `is_served`: whether a worker can be called, or is executing a call.
  def fail(start, error, is_served)
    over(start)
    start.error = error
    @next = start.end + [FIRST_WAIT * (2**@failed), LONGEST_WAIT].min
    @failed = [@failed + 1, 10].min
    return if is_served || @under_way.any? { |other| !other.retry? }

    @fatal = start if @fatal.nil? || start.number > @fatal.number
  end

  # Raises if a start has failed that a call waited for; `begun` is the number that the call found.
  def check(begun)
    raise @fatal.error.exception if @fatal && begun < @fatal.number
  end

  private

  def over(start)
    @under_way.delete(start)
    start.end = {{module}}::Tierup::Limits.now
  end
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The limits that the environment sets: how long a call and the start of a worker may take, and how many calls may wait.

require_relative "errors"

class {{module}}::Tierup::Limits
  # A server with more waiting calls than this is unlikely to catch up.
  MOST_WAITING = 16_384
  # How long a worker may take to start, in seconds. A busy machine needs a small part of this.
  START = 30
  # How long `close` waits for running calls if they have no time-out, in seconds.
  GRACE = 10
  # The longest time-out, in seconds: the timers of some hosts take no more.
  LONGEST = 1_000_000

  # The time-out of a call, in seconds, or nil.
  attr_reader :timeout
  # The time-out of a worker's start, in seconds.
  attr_reader :start
  attr_reader :most_waiting, :grace

  def initialize
    @timeout = seconds("TIERUP_CALL_TIMEOUT")
    @start = seconds("TIERUP_START_TIMEOUT") || START
    @most_waiting = self.class.whole_number("TIERUP_CALL_QUEUE") || MOST_WAITING
    @grace = @timeout || GRACE
  end

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # The seconds left until a deadline, or nil.
  def self.left(deadline) = deadline && [0.0, deadline - now].max

  def self.closed_before = {{module}}::TransportError.new("the pool was closed before the call was answered")

  # A variable's value, a whole number; nil if it is not set.
  def self.whole_number(name)
    asked = ENV.fetch(name, "")
    return nil if asked.empty?
    raise ArgumentError, "#{name} must be a whole number of at least 1, got `#{asked}`" unless asked.match?(/\A[0-9]+\z/) && asked.to_i >= 1

    asked.to_i
  end

  # When a call made now must be answered; nil without a time-out.
  def deadline = @timeout && self.class.now + @timeout

  def waited_too_long
    {{module}}::CallTimeoutError.new("no worker was free for the call within #{shown(@timeout)} s (TIERUP_CALL_TIMEOUT)")
  end

  def took_too_long
    {{module}}::CallTimeoutError.new("the call took longer than #{shown(@timeout)} s (TIERUP_CALL_TIMEOUT): its process was ended")
  end

  def started_too_late(path)
    {{module}}::TransportError.new("#{path} did not start within #{shown(@start)} s (TIERUP_START_TIMEOUT): its process was ended")
  end

  def too_many
    {{module}}::TransportError.new("#{@most_waiting} calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)")
  end

  private

  def shown(seconds) = seconds == seconds.to_i ? seconds.to_i : seconds

  # A variable's value in seconds; nil if it is not set.
  def seconds(name)
    asked = ENV.fetch(name, "")
    return nil if asked.empty?

    seconds = asked.match?(/\A[0-9]+(\.[0-9]+)?\z/) ? asked.to_f : 0
    return seconds if seconds.positive? && seconds <= LONGEST

    raise ArgumentError, "#{name} must be a number of seconds above 0, up to #{LONGEST}, such as 2.5, got `#{asked}`"
  end
end

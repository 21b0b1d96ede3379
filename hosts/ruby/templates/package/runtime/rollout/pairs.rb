# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Compares how long calls of the candidate and of the control take, in pairs of one call each. Chance decides who gets a
# call, and with the same probability for both sides, whether it is timed. So a candidate that is not slower loses no more
# than half of the pairs, whatever the calls are.

class {{module}}::Tierup::Pairs
  # So many calls of the candidate are not timed: code may still be loaded.
  WARM_UP = 100

  # `counts` are the rollout's.
  def initialize(counts)
    @counts = counts
    # The server may have seeded Ruby's own generator.
    @random = Random.new
    # A timed call that waits for one of the other side: whether it is the candidate's, and its time.
    @waiting = nil
  end

  # When a side's call begins, in nanoseconds; nil if it is not timed.
  def begin(now, is_candidate)
    return if now.slower.nil? || now.by_input || now.share.zero? || @counts[:shared] <= WARM_UP

    part = is_candidate ? 1 - now.share : now.share
    clock if @random.rand * (1 - part) < part
  end

  # Takes in a call that has given a value.
  def end(now, is_candidate, began)
    return if began.nil?

    took = clock - began
    waiting, @waiting = @waiting, [is_candidate, took]
    return if waiting.nil? || waiting.first == is_candidate

    @waiting = nil
    candidate, control = is_candidate ? [took, waiting.last] : [waiting.last, took]
    @counts[:pairs] += 1
    @counts[:slower] += 1 if candidate > now.slower * control
    @counts[:control_ns] += control
    @counts[:candidate_ns] += candidate
  end

  private

  def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Compares how long calls of the candidate and of the control take, in pairs of one call each, while each side gets half
# of the calls. Chance decides who gets a call, so a candidate that is not slower loses no more than half of the pairs,
# whatever the calls are. At other shares, the code of the rarer side is not in the processor's caches.

class {{module}}::Tierup::Pairs
  # So many calls of the candidate are not timed: code may still be loaded.
  WARM_UP = 100

  # `counts` are the rollout's.
  def initialize(counts)
    @counts = counts
    # A timed call that waits for one of the other side: whether it is the candidate's, and its time.
    @waiting = nil
  end

  # When a side's call begins, in nanoseconds; nil if it is not timed.
  def begin(now)
    clock if now.slower && now.share == 0.5 && !now.by_input && @counts[:shared] > WARM_UP
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
    tolerated = now.slower * control
    lead = (candidate - tolerated) / (candidate + tolerated)
    @counts[lead.positive? ? :behind : :ahead] += (lead.abs * 1e6).round
    @counts[:squares] += (lead**2 * 1e6).round
    @counts[:control_ns] += control
    @counts[:candidate_ns] += candidate
  end

  private

  def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

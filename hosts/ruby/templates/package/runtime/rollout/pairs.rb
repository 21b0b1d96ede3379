# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Compares how long calls of the candidate and of the control take, in pairs of calls of one function, while each side gets
# half of them. Chance decides who gets a call, so the leads of a candidate that is not slower add up to 0 at most. At other
# shares, the code of the rarer side is not in the processor's caches.

class {{module}}::Tierup::Pairs
  # So many calls of the candidate are not timed, for each function: code may still be loaded.
  WARM_UP = 100
  # The longer time of a pair counts as this many times the shorter one at most: the process may have been stopped.
  MOST_APART = 100

  # `counts` are the rollout's.
  def initialize(control, counts)
    @on = !control.slower.nil? && control.share == 0.5 && !control.by_input
    @slower = control.slower
    @shadow = control.shadow
    @counts = counts
    # By function: the candidate's calls so far, and a timed call that waits for one of the other side, as [is_candidate,
    # took].
    @calls = Hash.new(0)
    @waiting = {}
    # The server may have seeded Ruby's own generator.
    @random = Random.new
  end

  # When a side's call begins, in nanoseconds; nil if it is not timed.
  def begin(number, is_candidate)
    return unless @on

    @calls[number] += 1 if is_candidate
    # The same part of the control's calls is compared, and not timed.
    return if is_candidate && @random.rand < @shadow

    clock if @calls[number] > WARM_UP
  end

  # Takes in a call that has given a value.
  def end(number, is_candidate, began)
    return if began.nil?

    took = [clock - began, 1].max
    waiting, @waiting[number] = @waiting[number], [is_candidate, took]
    return if waiting.nil? || waiting.first == is_candidate

    @waiting[number] = nil
    is_candidate ? pair(took, waiting.last) : pair(waiting.last, took)
  end

  private

  def pair(candidate, control)
    tolerated = @slower * control
    lead = (candidate - tolerated) / (candidate + tolerated)
    @counts[:pairs] += 1
    @counts[lead.positive? ? :behind : :ahead] += (lead.abs * 1e6).round
    @counts[:squares] += (lead**2 * 1e6).round
    @counts[:control_ns] += [control, MOST_APART * candidate].min
    @counts[:candidate_ns] += [candidate, MOST_APART * control].min
  end

  def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

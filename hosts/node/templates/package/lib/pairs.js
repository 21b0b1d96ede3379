// Made by tierup; the same in every package.
//
// Compares how long calls of the candidate and of the control take, in pairs of one call each, while each side gets half
// of the calls. Chance decides who gets a call, so a candidate that is not slower loses no more than half of the pairs,
// whatever the calls are. At other shares, the code of the rarer side is not in the processor's caches.
'use strict';

/** So many calls of the candidate are not timed: code may still be loaded and compiled. */
const WARM_UP = 1000;

class Pairs {
  /** `counts` are the rollout's. */
  constructor(counts) {
    this.counts = counts;
    /** A timed call that waits for one of the other side. */
    this.waiting = undefined;
  }

  /** The time at which a call begins; undefined if it is not timed. */
  begin({ isByInput, share, slower }) {
    const isTimed = slower !== undefined && share === 0.5 && !isByInput && this.counts.shared > WARM_UP;
    return isTimed ? performance.now() : undefined;
  }

  /** Takes in a call that has given a value. */
  end({ slower }, isCandidate, began) {
    if (began === undefined) return;
    const took = Math.round((performance.now() - began) * 1e6);
    const { counts, waiting } = this;
    this.waiting = { isCandidate, took };
    if (waiting === undefined || waiting.isCandidate === isCandidate) return;
    this.waiting = undefined;
    const [candidate, control] = isCandidate ? [took, waiting.took] : [waiting.took, took];
    counts.pairs += 1;
    const lead = (candidate - slower * control) / (candidate + slower * control);
    counts[lead > 0 ? 'behind' : 'ahead'] += Math.round(Math.abs(lead) * 1e6);
    counts.squares += Math.round(lead ** 2 * 1e6);
    counts.control_ns += control;
    counts.candidate_ns += candidate;
  }
}

module.exports = { Pairs };

// Made by tierup; the same in every package.
//
// Compares how long calls of the candidate and of the control take, in pairs of one call each. Chance decides who gets
// a call, and with the same probability for both sides, whether it is timed. So a candidate that is not slower loses no
// more than half of the pairs, whatever the calls are.
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
  begin({ isByInput, share, slower }, isCandidate) {
    if (slower === undefined || isByInput || share === 0 || this.counts.shared <= WARM_UP) return undefined;
    const odds = share / (1 - share);
    return Math.random() < (isCandidate ? 1 / odds : odds) ? performance.now() : undefined;
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
    counts.slower += candidate > slower * control ? 1 : 0;
    counts.control_ns += control;
    counts.candidate_ns += candidate;
  }
}

module.exports = { Pairs };

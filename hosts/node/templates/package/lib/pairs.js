// Made by tierup; the same in every package.
//
// Compares how long calls of the candidate and of the control take, in pairs of calls of one function, while each side gets
// half of them. Chance decides who gets a call, so the leads of a candidate that is not slower add up to 0 at most. At other
// shares, the code of the rarer side is not in the processor's caches.
'use strict';

/** So many calls of the candidate are not timed, for each function: code may still be loaded and compiled. */
const WARM_UP = 1000;

/** The longer time of a pair counts as this many times the shorter one at most: the process may have been stopped. */
const MOST_APART = 100;

class Pairs {
  /** `counts` are the rollout's, `functions` is their number. */
  constructor(counts, functions) {
    this.counts = counts;
    /** For each function: the candidate's calls so far, and a timed call that waits for one of the other side. */
    this.functions = Array.from({ length: functions }, () => ({ calls: 0, waiting: undefined }));
  }

  /** The time at which a call begins; undefined if it is not timed. */
  begin({ isByInput, shadow, share, slower }, number, isCandidate) {
    if (slower === undefined || share !== 0.5 || isByInput) return undefined;
    const state = this.functions[number];
    if (isCandidate) state.calls += 1;
    // The same part of the control's calls is compared, and not timed.
    const isLeftOut = isCandidate && Math.random() < shadow;
    return state.calls > WARM_UP && !isLeftOut ? performance.now() : undefined;
  }

  /** Takes in a call that has given a value. */
  end({ slower }, number, isCandidate, began) {
    const took = Math.max(1, Math.round((performance.now() - began) * 1e6));
    const state = this.functions[number];
    const { waiting } = state;
    state.waiting = { isCandidate, took };
    if (waiting === undefined || waiting.isCandidate === isCandidate) return;
    state.waiting = undefined;
    const [candidate, control] = isCandidate ? [took, waiting.took] : [waiting.took, took];
    const lead = (candidate - slower * control) / (candidate + slower * control);
    const { counts } = this;
    counts.pairs += 1;
    counts[lead > 0 ? 'behind' : 'ahead'] += Math.round(Math.abs(lead) * 1e6);
    counts.squares += Math.round(lead ** 2 * 1e6);
    counts.control_ns += Math.min(control, MOST_APART * candidate);
    counts.candidate_ns += Math.min(candidate, MOST_APART * control);
  }
}

module.exports = { Pairs };

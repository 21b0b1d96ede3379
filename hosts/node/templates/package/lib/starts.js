// Made by tierup; the same in every package.
//
// The starts of the pool's workers: the pauses after failed ones, and which waiting calls a failed start ends.
//
// A call waits for a worker at most until the start under way is over and one more has failed. Were each call to wait until
// some start succeeds, workers that hang in turns would keep it waiting for ever.
'use strict';

/** After a failed start the next one waits: this many milliseconds at first, then twice as long each time. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 5000;

class Starts {
  /** `again`: called after each pause. */
  constructor(again) {
    this.again = again;
    /** How many rounds of starts have begun. A call keeps the number that it found. */
    this.begun = 0;
    this.failed = 0;
    this.lastFailure = null;
    this.next = null;
  }

  /** What the workers know that are now started together. A retry begins after a start has failed and none has succeeded. */
  begin() {
    this.begun += 1;
    return { number: this.begun, isRetry: this.failed > 0 };
  }

  succeed() {
    this.failed = 0;
  }

  isPaused() {
    return this.next !== null;
  }

  /** After a failed start. */
  pause(error) {
    this.lastFailure = error;
    if (this.next !== null) return;
    const wait = Math.min(FIRST_WAIT * 2 ** this.failed, LONGEST_WAIT);
    this.failed += 1;
    this.next = setTimeout(() => {
      this.next = null;
      this.again();
    }, wait);
  }

  /**
   * Fails the calls that have waited since this start began, or longer, unless another worker can be called or may soon be:
   * one that is starting and is no retry.
   */
  fail(worker, error, others, waiting) {
    if (others.some((other) => other.isUsable() || (other.isStarting() && !other.begin.isRetry))) return;
    for (let left = waiting.length; left > 0; left -= 1) {
      const call = waiting.shift();
      if (call.begun < worker.begin.number) call.fail(error);
      else if (!call.isSettled) waiting.push(call);
    }
  }

  /** Whether the next start keeps the event loop running. */
  keepAlive(isAwaited) {
    if (isAwaited) this.next?.ref();
    else this.next?.unref();
  }

  stop() {
    clearTimeout(this.next);
    this.next = null;
  }
}

module.exports = { Starts };

// Made by tierup; the same in every package.
//
// One call of the pool's. It is settled once: by its answer, by a failure, or because it has taken too long.
'use strict';

const { readAnswerBytes } = require('./answers');
const { after } = require('./limits');

class Call {
  /** `on`: settled(); late() when `timeout` milliseconds have passed, where there is one, and it is not settled. */
  constructor(definition, frame, timeout, on) {
    this.definition = definition;
    this.frame = frame;
    this.on = on;
    this.isSettled = false;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.stop = after(timeout, () => on.late());
  }

  answer(bytes) {
    if (!this.settle()) return;
    try {
      this.resolve(readAnswerBytes(this.definition, bytes));
    } catch (error) {
      this.reject(error);
    }
  }

  fail(error) {
    if (this.settle()) this.reject(error);
  }

  /** Whether it was not before. */
  settle() {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.stop();
    this.on.settled();
    return true;
  }
}

module.exports = { Call };

// Made by tierup; the same in every package.
//
// One call of the pool. It is settled once: by its answer, by a failure, or because it has taken too long.
'use strict';

const { readAnswerBytes } = require('./answers');
const { after } = require('./limits');

class Call {
  /** `number`: of the call. `on`: settled(); late(), if there is a `timeout` in milliseconds and the call is not settled by then. */
  constructor(definition, frame, timeout, number, on) {
    this.definition = definition;
    this.frame = frame;
    this.number = number;
    this.on = on;
    this.isSettled = false;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.stop = after(timeout, () => on.late());
  }

  answer(bytes, owned) {
    if (!this.settle()) return;
    try {
      this.resolve(readAnswerBytes(this.definition, bytes, owned));
    } catch (error) {
      this.reject(error);
    }
  }

  fail(error) {
    if (this.settle()) this.reject(error);
  }

  /** Settles the call; false if it was settled before. */
  settle() {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.stop();
    this.on.settled();
    return true;
  }
}

module.exports = { Call };

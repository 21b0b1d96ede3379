'use strict';
// A possible baseline of a server: some functions of `conformance/` in JavaScript.

const { threadId } = require('node:worker_threads');

class Odd extends Error {}
Odd.prototype.name = 'Odd';

/** The effects of some texts on `printAndReturn`. */
const ORDERS = {
  thread: () => new Promise((resolve) => setTimeout(resolve, 50, String(threadId))),
  later: async () => 'later',
  exit: () => process.exit(3),
  uncaught() {
    setImmediate(() => {
      throw new Error('uncaught');
    });
    return new Promise(() => {});
  },
  range() {
    throw Object.assign(new RangeError('too far'), { code: 'E_RANGE' });
  },
  odd() {
    throw Object.assign(new Odd('not copied'), { cause: () => {} });
  },
};

module.exports = {
  Odd,
  echoText: (text, more) => more ?? text,
  echoBytes: (bytes) => bytes,
  echoOptionText: (value = 'the default') => value,
  printAndReturn: (text) => ORDERS[text](),
  fail(words) {
    throw new Error(words);
  },
};

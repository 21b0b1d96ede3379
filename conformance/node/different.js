'use strict';
// Functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs.

module.exports = {
  echoText: (text) => (text === '😀' ? ':-)' : text),
  panicIf: (condition, text) => text.toUpperCase(),
  fail: (words) => {
    if (words === 'nothing') return Buffer.alloc(0);
    throw new RangeError(`own words for ${words}`);
  },
  hangOn: (word) => (word === 'changed' ? 0 : word.length),
  makeBytes: (length) => Buffer.alloc(Math.min(length, 100), 1),
  /** Changes its argument before anybody compares. */
  echoTexts: async (texts) => {
    const answer = texts.splice(0);
    await null;
    return answer;
  },
  echoBytes: (bytes) => bytes,
  countCalls: () => 0n,
};

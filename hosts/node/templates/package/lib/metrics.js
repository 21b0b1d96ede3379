// Made by tierup; the same in every package.
//
// What a binding's calls came to: `metrics()`.
'use strict';

const { abi, packageName } = require('./types');

/** What a failed call counts as, by its error's `code`. */
const KINDS = new Map([
  ['TIERUP_ERR', 'errors'],
  ['TIERUP_PANIC', 'panics'],
  ['TIERUP_TIMEOUT', 'timeouts'],
  ['TIERUP_TRANSPORT', 'lost'],
]);

class Metrics {
  constructor({ tier, asked, instead }) {
    this.said = { package: packageName, tier, asked, instead, abi };
    /** Any other error at tier 0 is the server's own; elsewhere the arguments were refused. */
    this.others = tier.startsWith('0') ? 'errors' : undefined;
    this.calls = 0;
    this.failures = { errors: 0, panics: 0, timeouts: 0, lost: 0 };
  }

  failed(error) {
    let code;
    try {
      code = error?.code;
    } catch {
      // Your own code may throw anything, and that is what the caller gets.
    }
    const kind = KINDS.get(code) ?? this.others;
    if (kind !== undefined) this.failures[kind] += 1;
  }

  read() {
    return { ...this.said, calls: this.calls, ...this.failures };
  }
}

module.exports = { Metrics };

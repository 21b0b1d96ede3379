'use strict';
// A time-out as JavaScript sees it. What limits promise in all languages is in `crates/tierup/tests/conformance/limits.rs`.

const { it } = require('node:test');
const assert = require('node:assert/strict');

process.env.TIERUP_CALL_TIMEOUT = '1';
const { CallTimeoutError, TransportError, with: bind } = require('conformance');

it('is an error with a class and a code, synchronous or not', async () => {
  const c = bind({ tier: '1:spawn' });
  const isTimeout = (error) => error instanceof CallTimeoutError && error instanceof TransportError && error.code === 'TIERUP_TIMEOUT';
  await assert.rejects(c.hangOn('really'), isTimeout);
  assert.throws(() => c.hangOnSync('really'), isTimeout);
  await c.close();
});

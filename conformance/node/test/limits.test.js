'use strict';
// Endless calls: TIERUP_CALL_TIMEOUT replaces their workers, and close() does not wait for them for ever.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { eventually, programs } = require('./programs.js');

process.env.TIERUP_WORKERS = '2';
process.env.TIERUP_CALL_TIMEOUT = '2.5';
const TIMEOUT = 2500;
const conformance = require('conformance');

const descriptors = () => (fs.existsSync('/proc/self/fd') ? fs.readdirSync('/proc/self/fd').length : 0);

const isTimeout = (error) => error instanceof conformance.CallTimeoutError && error.code === 'TIERUP_TIMEOUT';

it('1:pool: two endless calls, again and again, leave two workers that answer', async () => {
  const c = conformance.with({ tier: '1:pool' });
  await c.ready();
  const count = () => programs().length;
  const state = () => ({ programs: count(), descriptors: descriptors() });
  // Two workers and the companion.
  await eventually(count, 3);
  const before = state();
  const memory = process.memoryUsage.rss();
  for (let round = 0; round < 3; round += 1) {
    const hung = [c.hangOn('really'), c.hangOn('really')].map((call) => assert.rejects(call, isTimeout));
    await sleep(TIMEOUT / 2);
    assert.equal(await c.echoText('third'), 'third');
    await Promise.all(hung);
  }
  await c.ready();
  await eventually(state, before);
  const grown = (process.memoryUsage.rss() - memory) / 2 ** 20;
  assert.ok(grown < 48, `${grown} MiB more`);
  const last = assert.rejects(c.hangOn('really'), (error) => error instanceof conformance.TransportError);
  await c.close();
  await last;
  await eventually(programs, []);
});

it('1:spawn: an endless call is ended', async () => {
  const c = conformance.with({ tier: '1:spawn' });
  const before = descriptors();
  await Promise.all([c.hangOn('really'), c.hangOn('really')].map((call) => assert.rejects(call, isTimeout)));
  assert.throws(() => c.hangOnSync('really'), isTimeout);
  assert.equal(await c.echoText('next'), 'next');
  await eventually(programs, []);
  assert.ok(descriptors() <= before, `${before} descriptors before, ${descriptors()} after`);
  await c.close();
});

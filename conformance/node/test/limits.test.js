'use strict';
// Endless calls: TIERUP_CALL_TIMEOUT replaces their workers, and close() does not wait for them for ever.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { isDeepStrictEqual } = require('node:util');

process.env.TIERUP_WORKERS = '2';
process.env.TIERUP_CALL_TIMEOUT = '2.5';
const TIMEOUT = 2500;
const conformance = require('conformance');

/** The number of living processes of the program that this process has started. */
function programs() {
  const lines = execFileSync('ps', ['-eo', 'ppid,stat,args'], { encoding: 'utf8' }).split('\n');
  const ours = lines.map((line) => line.trim().split(/\s+/)).filter(([parent]) => parent === String(process.pid));
  return ours.filter(([, state, ...line]) => !state.startsWith('Z') && line.join(' ').includes('--tierup-')).length;
}

const descriptors = () => (fs.existsSync('/proc/self/fd') ? fs.readdirSync('/proc/self/fd').length : 0);

/** Waits until a value is the expected one: a process that was started or ended is seen a moment later. */
async function eventually(read, expected) {
  const deadline = performance.now() + 60_000;
  while (!isDeepStrictEqual(read(), expected) && performance.now() < deadline) {
    await sleep(50);
  }
  assert.deepEqual(read(), expected);
}

const isTimeout = (error) => error instanceof conformance.CallTimeoutError && error.code === 'TIERUP_TIMEOUT';

it('1:pool: two endless calls, again and again, leave two workers that answer', async () => {
  const c = conformance.with({ tier: '1:pool' });
  await c.ready();
  const state = () => ({ programs: programs(), descriptors: descriptors() });
  await eventually(programs, 2);
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
  await eventually(programs, 0);
});

it('1:spawn: an endless call is ended', async () => {
  const c = conformance.with({ tier: '1:spawn' });
  const before = descriptors();
  await Promise.all([c.hangOn('really'), c.hangOn('really')].map((call) => assert.rejects(call, isTimeout)));
  assert.throws(() => c.hangOnSync('really'), isTimeout);
  assert.equal(await c.echoText('next'), 'next');
  await eventually(programs, 0);
  assert.ok(descriptors() <= before, `${before} descriptors before, ${descriptors()} after`);
  await c.close();
});

'use strict';
// The starts of `1:pool`: who learns that a worker did not start, and when.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { limited, program } = require('./programs.js');

/** A program whose first starts carry out these orders, one each; all that follow carry out the last. */
const starting = (...orders) =>
  program.replace(
    '/* before */',
    `const pause = (time) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
    let nth = 0;
    for (let isMine = false; !isMine; ) {
      nth += 1;
      try { fs.mkdirSync(__filename + '-start-' + nth); isMine = true; } catch {}
    }
    const order = ${JSON.stringify(orders)}[Math.min(nth, ${orders.length}) - 1];
    if (order === 'hang') pause();
    if (order === 'exit') { console.error('no library'); process.exit(2); }
    if (order === 'exit late') { pause(400); console.error('no library'); process.exit(2); }
    if (order === 'late') { pause(1500); fs.mkdirSync(__filename + '-late'); }
    if (order === 'hang, with care') {
      process.stdin.resume().on('end', () => { fs.mkdirSync(__filename + '-was-let-end'); process.exit(); });
      return;
    }`,
  );

/** The package's folder has what its workers left there. */
const has = (binding, what) => fs.existsSync(path.join(binding.folder, `artifacts/conformance-${what}`));

test('workers that hang in turns do not keep calls waiting for ever', { timeout: 60_000 }, async () => {
  const environment = { TIERUP_WORKERS: '2', TIERUP_START_TIMEOUT: '1' };
  const binding = limited('1:pool', environment, starting('hang', 'exit late', 'hang'));
  const isTold = (error) => error instanceof binding.TransportError && /did not start within 1 s/.test(error.message);
  await Promise.all(['a', 'b', 'c'].map((text) => assert.rejects(binding.echoText(text), isTold)));
  // The third is under way: each new one hangs before the one beside it is over.
  assert.ok(!has(binding, 'start-5'), 'the calls waited for one start after the other');
  await binding.close();
});

test('a start that fails beside one that hangs fails no call before the other is over', { timeout: 60_000 }, async () => {
  const { echoText, close } = limited('1:pool', { TIERUP_WORKERS: '2' }, starting('exit', 'late', 'exit'));
  assert.equal(await echoText('served by the late one'), 'served by the late one');
  await close();
});

test('calls that have a worker do not learn that another did not start', { timeout: 60_000 }, async () => {
  const { echoText, close } = limited('1:pool', { TIERUP_WORKERS: '2' }, starting('ok', 'exit'));
  const calls = Array.from({ length: 20 }, (_, i) => echoText(i % 5 === 0 ? 'slow' : String(i)));
  await Promise.all(calls);
  await close();
});

test('a call that comes after a failed start is answered by the next one', { timeout: 60_000 }, async () => {
  const { echoText, close } = limited('1:pool', { TIERUP_WORKERS: '1' }, starting('exit', 'ok'));
  await assert.rejects(echoText('a'), /exit code 2: no library/);
  assert.equal(await echoText('b'), 'b');
  await close();
});

test('ready waits for all starts, and has the first error', { timeout: 60_000 }, async () => {
  const binding = limited('1:pool', { TIERUP_WORKERS: '2' }, starting('exit', 'late', 'ok'));
  await assert.rejects(binding.ready(), /exit code 2: no library/);
  assert.ok(has(binding, 'late'), 'the other worker was still starting');
  await binding.close();
});

test('close kills workers that are starting, and ready is told', { timeout: 60_000 }, async () => {
  const binding = limited('1:pool', { TIERUP_WORKERS: '2' }, starting('hang, with care'));
  const ready = assert.rejects(binding.ready(), /the pool is closed/);
  while (!has(binding, 'start-2')) await sleep(20);
  await binding.close();
  await ready;
  assert.ok(!has(binding, 'was-let-end'), 'a worker that was starting was let end');
  await assert.rejects(binding.ready(), /the pool is closed/);
});

'use strict';
// The processes that a process has started, with their descendants.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { setTimeout: sleep } = require('node:timers/promises');
const { isDeepStrictEqual } = require('node:util');

/** The living processes of the program below this process. */
function programs() {
  const lines = execFileSync('ps', ['-wweo', 'pid,ppid,stat,args'], { encoding: 'utf8' }).trim().split('\n');
  const all = lines.map((line) => line.trim().split(/\s+/));
  const below = new Set([String(process.pid)]);
  // A child may precede its parent in the list, so one round would not find all.
  for (let round = 0; round < 4; round += 1) {
    for (const [process, parent] of all) if (below.has(parent)) below.add(process);
  }
  const isOurs = ([process, , state, ...line]) => below.has(process) && !state.startsWith('Z') && line.join(' ').includes('--tierup-');
  return all.filter(isOurs).map(([process]) => Number(process));
}

/** Waits until a value is the expected one: a process that was started or ended is seen a moment later. */
async function eventually(read, expected) {
  const deadline = performance.now() + 60_000;
  while (!isDeepStrictEqual(read(), expected) && performance.now() < deadline) await sleep(50);
  assert.deepEqual(read(), expected);
}

module.exports = { eventually, programs };

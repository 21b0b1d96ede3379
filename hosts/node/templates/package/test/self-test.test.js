// Made by tierup; the same in every package.
//
// Calls every built variant with edge values of each type. All must answer alike.
'use strict';

const assert = require('node:assert/strict');
const { after, test } = require('node:test');
const { isDeepStrictEqual } = require('node:util');
const package_ = require('..');
const { isBuilt } = require('../lib/built');
const { laddersOfArguments } = require('./edge-values');
const { functions } = require('./interface');

/** The fastest first: it is the one that the others are compared with, and that tells when to stop climbing. */
const VARIANTS = ['3:native', '2:core', '2:bindgen', '2:component', '3:async', '1:pool', '1:spawn'];

/** A call that takes longer than this, or whose answer is larger, is the last of its ladder. */
const LONG_MILLISECONDS = 10;
const LARGE_ITEMS = 1 << 16;

const bindings = VARIANTS.filter(isBuilt).map((tier) => package_.with({ tier }));

after(() => Promise.all(bindings.map((binding) => binding.close())));

test('a variant was built', { skip: bindings.length > 0 ? false : 'run `tierup build` first' }, () => {});

for (const { name, parameters } of bindings.length > 0 ? functions : []) {
  test(name, async (t) => {
    for (const ladder of laddersOfArguments(parameters)) await climb(t, name, ladder);
  });
}

async function climb(t, name, ladder) {
  const [first, ...others] = bindings;
  for (const args of ladder) {
    const start = performance.now();
    const expected = await outcome(first, name, args);
    const isLast = performance.now() - start > LONG_MILLISECONDS || sizeOf(expected.value) > LARGE_ITEMS;
    if (failedToPrint(expected)) return;
    if (!isDeepStrictEqual(await outcome(first, name, args), expected)) {
      t.diagnostic(`${name} gives varying answers, so they are not compared`);
      return;
    }
    for (const binding of others) {
      const actual = await outcome(binding, name, args);
      assert.deepStrictEqual(actual, expected, `${binding.tier} and ${first.tier} differ for ${show(args)}`);
    }
    if (isLast) return;
  }
}

/** How a call ends, in a form that can be compared. */
async function outcome(binding, name, args) {
  try {
    return { ending: 'value', value: await binding[name](...args) };
  } catch (error) {
    // A panic's words may name another place where the code was compiled differently.
    const message = error.code === 'TIERUP_PANIC' ? undefined : error.message;
    return Object.defineProperty({ ending: error.name, message }, 'error', { value: error });
  }
}

/** Rust's `println!` panics where our standard output is a pipe that is full for a moment, as a test's may be. */
function failedToPrint({ error }) {
  return error !== undefined && error.message.startsWith('failed printing to std');
}

function sizeOf(value) {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
}

function show(args) {
  const text = JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

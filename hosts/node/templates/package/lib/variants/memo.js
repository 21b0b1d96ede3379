// Made by tierup; the same in every package.
//
// `0:memo`: the server's own functions with a bounded cache of their answers, by the encoded arguments. It is only
// right for functions whose answer depends on nothing but the arguments.
//
// Each caller gets its own copy of the answer, and may change it. Errors are not cached: the next call may succeed. If
// the same call of an asynchronous function is under way, other calls wait for it instead of repeating it.
'use strict';

const { copy, isCopyable, sizeOf } = require('../copies');
const { Counts } = require('../counts');
const { Kept } = require('../kept');
const { keyOf } = require('../keys');
const baselines = require('./baseline');

const { isPromise } = baselines;

/** Calls wait only for a call that is younger, in milliseconds: one that never ends must not block all later ones. */
const MOST_AGE = 10_000;

function load(context, baseline) {
  const kept = new Kept();
  const counts = new Counts(kept);
  const own = baselines.load(context, baseline);
  // Calls of asynchronous functions, by key.
  const underWay = new Map();
  const several = context.functions.length > 1;

  function keyOfCall(number, args) {
    const definition = context.functions[number];
    // The function may read arguments beyond its signature, which are not in the key.
    if (args.length > definition.arity) return undefined;
    const key = keyOf(definition, args);
    return several && key !== undefined ? String.fromCharCode(number) + key : key;
  }

  /** Keeps a copy of an answer; undefined if it cannot be copied. `isAsync` says whether it came as a Promise. */
  function keep(key, value, isAsync) {
    try {
      if (!isCopyable(value)) return undefined;
      const entry = { value: copy(value), isAsync, bytes: 0 };
      kept.put(key, entry, sizeOf(value));
      return entry;
    } catch {
      // Inspecting a Proxy runs code of the server, which may throw.
      return undefined;
    }
  }

  function begin(key, answer) {
    const shared = { began: performance.now(), settled: undefined };
    const end = () => {
      if (underWay.get(key) === shared) underWay.delete(key);
    };
    const settled = Promise.resolve(answer).then(
      (value) => {
        end();
        // The copy is made before a caller gets the value and may change it.
        return { value, entry: keep(key, value, true) };
      },
      (error) => {
        end();
        throw error;
      },
    );
    shared.settled = settled;
    underWay.set(key, shared);
    return settled.then(({ value }) => value);
  }

  async function wait(shared, number, args) {
    let entry;
    try {
      ({ entry } = await shared.settled);
    } catch {
      // An error belongs only to the call that made it.
    }
    counts.note(entry !== undefined);
    return entry === undefined ? baseline[number](...args) : copy(entry.value);
  }

  function call(number, args) {
    const key = keyOfCall(number, args);
    // Arguments that Rust would refuse always go to the baseline.
    if (key === undefined) return baseline[number](...args);
    const entry = kept.get(key);
    if (entry !== undefined) {
      counts.note(true);
      return copy(entry.value);
    }
    const shared = underWay.get(key);
    if (shared !== undefined && performance.now() - shared.began < MOST_AGE) return wait(shared, number, args);
    counts.note(false);
    const answer = baseline[number](...args);
    if (isPromise(answer)) return begin(key, answer);
    keep(key, answer, false);
    return answer;
  }

  function callSync(number, args) {
    const key = keyOfCall(number, args);
    const entry = key === undefined ? undefined : kept.get(key);
    // The answer of an asynchronous function is refused here as at tier 0.
    if (entry !== undefined && !entry.isAsync) {
      counts.note(true);
      return copy(entry.value);
    }
    const answer = own.callSync(number, args);
    if (key !== undefined) {
      counts.note(false);
      keep(key, answer, false);
    }
    return answer;
  }

  return { call, callSync };
}

module.exports = { load };

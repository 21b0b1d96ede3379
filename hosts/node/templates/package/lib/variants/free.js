// Made by tierup; the same in every package.
//
// `0:free`: the ceiling. The baseline is called once for each different list of arguments; from then on its recorded
// answer, or error, is replayed. What remains is the server without the function's work.
'use strict';

const { copy, sizeOf } = require('../copies');
const { keyOf } = require('../keys');
const { openRecording } = require('../recording');
const { isPromise } = require('./baseline');

/** When the records exceed this, the oldest are dropped. */
const MOST_BYTES = 64 << 20;

/** The approximate size of a record without its key and value. */
const RECORD_BYTES = 200;

function load(context, baseline) {
  const records = context.functions.map(() => new Map());
  const recording = openRecording();
  let recordedBytes = 0;
  for (const [number, key, recorded] of recording?.read() ?? []) {
    // Records do not store that a map's object has no prototype.
    const { convertMaps } = context.functions[number];
    keep(number, key, { value: convertMaps === undefined ? recorded : convertMaps(recorded) });
  }

  function remember(number, key, outcome) {
    keep(number, key, outcome);
    // Errors are kept in memory only: a recording cannot restore an error's class.
    if (!('error' in outcome)) recording?.add(number, key, outcome.value);
  }

  function keep(number, key, outcome) {
    const record = records[number];
    recordedBytes -= record.get(key)?.bytes ?? 0;
    record.delete(key);
    outcome.bytes = RECORD_BYTES + key.length + sizeOf(outcome.value);
    record.set(key, outcome);
    recordedBytes += outcome.bytes;
    // A Map keeps its keys in the order of insertion.
    for (const [oldest, { bytes }] of record) {
      if (recordedBytes <= MOST_BYTES) break;
      record.delete(oldest);
      recordedBytes -= bytes;
    }
  }

  function record(number, key, args) {
    let value;
    try {
      value = baseline[number](...args);
    } catch (error) {
      remember(number, key, { error });
      throw error;
    }
    if (!isPromise(value)) {
      remember(number, key, { value });
      return copy(value);
    }
    // The promise is recorded at once, so that calls meanwhile wait for it.
    const settled = value.then(
      (answer) => ({ value: answer }),
      (error) => ({ error }),
    );
    records[number].set(key, { settled, bytes: 0 });
    return settled.then((outcome) => {
      records[number].delete(key);
      remember(number, key, outcome);
      return replay(outcome);
    });
  }

  function call(number, args) {
    const key = keyOf(context.functions[number], args);
    // Arguments that Rust would refuse always go to the baseline.
    if (key === undefined) return baseline[number](...args);
    const outcome = records[number].get(key);
    if (outcome === undefined) return record(number, key, args);
    return outcome.settled === undefined ? replay(outcome) : outcome.settled.then(replay);
  }

  function callSync(number, args) {
    const answer = call(number, args);
    if (!isPromise(answer)) return answer;
    answer.then(undefined, () => {});
    const { name } = context.functions[number];
    throw new Error(`${name}Sync() has no recorded answer yet, and its baseline is asynchronous`);
  }

  return { call, callSync };
}

function replay(outcome) {
  if ('error' in outcome) throw outcome.error;
  return copy(outcome.value);
}

module.exports = { load };

// Made by tierup; the same in every package.
//
// A thread of `0:workers`: loads the module with the server's own functions and calls them.
'use strict';

const { pathToFileURL } = require('node:url');
const { parentPort, workerData } = require('node:worker_threads');
const { readBaselines } = require('./baselines');
const { functions } = require('./types');
const { Reader, withWriter } = require('./wire');

async function begin() {
  const loaded = await import(pathToFileURL(workerData.ownModule).href);
  // An ES module sees the exports of a CommonJS module as its default export.
  const baseline = readBaselines({ baseline: loaded.default ?? loaded }).get('');
  parentPort.on('message', (message) => answer(baseline, message));
  parentPort.postMessage({ isReady: true });
}

async function answer(baseline, { id, number, encoded }) {
  let value;
  try {
    value = await baseline[number](...functions[number].readArguments(new Reader(Buffer.from(encoded.buffer))));
  } catch (error) {
    sendError(id, error);
    return;
  }
  try {
    sendValue(id, functions[number], value);
  } catch (error) {
    sendError(id, error);
  }
}

function sendValue(id, definition, value) {
  let encoded;
  try {
    encoded = withWriter((writer) => {
      definition.writeOutput(writer, value);
      return new Uint8Array(writer.written());
    });
  } catch {
    // A value that does not fit the signature is sent as JavaScript copies it.
    parentPort.postMessage({ id, value });
    return;
  }
  parentPort.postMessage({ id, encoded }, [encoded.buffer]);
}

function sendError(id, error) {
  const isError = error instanceof Error;
  const properties = isError ? Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value))) : {};
  try {
    parentPort.postMessage({ id, thrown: error, className: error?.constructor?.name, name: error?.name, properties });
  } catch {
    // The error has parts that cannot be copied, such as functions.
    const thrown = new Error(String(error?.message ?? error));
    const className = isError ? error.constructor?.name : undefined;
    parentPort.postMessage({ id, thrown, className, name: isError ? error.name : 'Error', properties });
  }
}

function isPlain(value) {
  return value === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}

// A failure ends the thread, and its error is reported to all who wait for it.
begin().catch((error) => {
  setImmediate(() => {
    throw error;
  });
});

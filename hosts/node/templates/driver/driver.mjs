// Made by tierup; the same for every project.
//
// Makes calls on request. Requests come on file descriptor 3 and answers go out on 4, both as length-prefixed frames. Calls
// go through the package's public functions, as a server's calls do.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { pathToFileURL } from 'node:url';
import { baselines } from './baselines.mjs';

const require = createRequire(import.meta.url);
const package_ = require('../index.js');
const { RESERVED } = require('../lib/baselines.js');
const { functions } = require('../lib/types.js');
const { refusal } = require('../lib/checks.js');
const { Reader, withWriter } = require('../lib/wire.js');

const REQUESTS = 3;
const ANSWERS = 4;

const OK = 0;
const ERROR = 1;
const PANIC = 2;
const REFUSED = 3;
const LOST = 4;

/** An answer other than a value. */
class Failure {
  constructor(outcome, message) {
    this.outcome = outcome;
    this.message = message;
  }
}

const read = promisify(fs.read);

/** The package, bound to each tier that was requested, and what the tier's baseline exports. */
const bindings = new Map();

await serve();
// Workers of a pool end with this process.
process.exit(0);

async function serve() {
  for (;;) {
    const header = await readExactly(4);
    const request = header && (await readExactly(header.readUInt32LE(0)));
    if (request === null) return;
    if (!write(await answerTo(request))) return;
  }
}

async function answerTo(bytes) {
  const from = new Reader(bytes);
  const row = from.text();
  const number = from.count();
  const repeat = from.count();
  const encoded = from.bytes();
  try {
    if (row === 'together') return frame(OK, 0n, await together(new Reader(encoded)));
    if (row.startsWith('close ')) return frame(OK, 0n, await close(row.slice('close '.length), repeat));
    const { nanoseconds, value } = await call(row, functions[number], repeat, encoded);
    return frame(OK, nanoseconds, value);
  } catch (error) {
    if (error instanceof Failure) return frame(error.outcome, 0n, Buffer.from(error.message));
    return frame(LOST, 0n, Buffer.from(String(error?.stack ?? error)));
  }
}

/** The answers to requests that are made at the same time. */
async function together(requests) {
  const answers = Array.from({ length: requests.count() }, () => answerTo(requests.bytes()));
  return Buffer.concat(await Promise.all(answers));
}

/** Waits, closes a row's binding, and returns its metrics. */
async function close(row, milliseconds) {
  const { binding } = await bindingOf(row);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  await binding.close();
  const lines = Object.entries(binding.metrics()).map(([name, value]) => `${name}=${value}\n`);
  return Buffer.from(lines.join(''));
}

async function call(row, definition, repeat, encoded) {
  const args = definition.readArguments(new Reader(encoded));
  const { binding, baseline } = await bindingOf(row);
  const bound = binding[definition.name];
  const own = baseline?.[definition.name];
  if (typeof own === 'function') leaveOutDefaults(args, own);
  let value;
  const start = process.hrtime.bigint();
  try {
    for (let left = repeat; left > 0; left -= 1) value = await bound(...args);
  } catch (error) {
    throw new Failure(outcomeOf(row, error), String(error?.message ?? error));
  }
  const nanoseconds = process.hrtime.bigint() - start;
  try {
    return { nanoseconds, value: withWriter((writer) => encodeOutput(definition, writer, value)) };
  } catch (error) {
    // Only a baseline can return a value that does not fit the signature.
    throw new Failure(LOST, refusal('answer', error).message);
  }
}

/** An absent argument that has a default is left out, as the server's own calls do: `null` would take the default's place. */
function leaveOutDefaults(args, own) {
  for (let place = own.length; place < args.length; place += 1) args[place] ??= undefined;
}

function encodeOutput(definition, writer, value) {
  definition.writeOutput(writer, value);
  return Buffer.from(writer.written());
}

function outcomeOf(row, error) {
  if (error?.code === 'TIERUP_UNAVAILABLE') return LOST;
  // Anything else that a baseline throws is its error.
  if (isBaseline(row)) return ERROR;
  if (error.code === 'TIERUP_ERR') return ERROR;
  if (error.code === 'TIERUP_PANIC') return PANIC;
  return error instanceof TypeError || error instanceof RangeError ? REFUSED : LOST;
}

function isBaseline(row) {
  return row === '0' || row.startsWith('0:');
}

/** The package bound to a tier, loaded at the first request. */
async function bindingOf(row) {
  if (!bindings.has(row)) {
    try {
      const options = await baselineOptions(row);
      const binding = package_.with({ tier: row, ...options });
      // Calls are timed, not the start.
      await binding.ready();
      const [labelled] = Object.values(options.baselines ?? {});
      bindings.set(row, { binding, baseline: options.baseline ?? labelled });
    } catch (error) {
      throw new Failure(LOST, String(error?.message ?? error));
    }
  }
  return bindings.get(row);
}

async function baselineOptions(row) {
  if (!isBaseline(row)) return {};
  const label = RESERVED.includes(row.slice(2)) ? '' : row.slice(2);
  const path = baselines[label];
  if (path === undefined) return {};
  const module = await import(pathToFileURL(path).href).catch((error) => {
    // `ts-node/register` teaches `require` alone to read TypeScript.
    if (error?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    return require(path);
  });
  // An ES module sees the exports of a CommonJS module as its default export.
  const exported = module.default ?? module;
  return label === '' ? { baseline: exported } : { baselines: { [label]: exported } };
}

/** Bytes from the requests; null at their end. Nothing is read ahead: a waiting read would hold one of libuv's threads. */
async function readExactly(length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await read(REQUESTS, bytes, filled, length - filled, null);
    if (bytesRead === 0) return null;
    filled += bytesRead;
  }
  return bytes;
}

function frame(outcome, nanoseconds, content) {
  const header = Buffer.alloc(17);
  header.writeUInt32LE(13 + content.length, 0);
  header.writeUInt8(outcome, 4);
  header.writeBigUInt64LE(nanoseconds, 5);
  header.writeUInt32LE(content.length, 13);
  return Buffer.concat([header, content]);
}

/** Answers whether somebody reads the answers: tierup may have been ended. */
function write(bytes) {
  try {
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(ANSWERS, bytes, written);
    return true;
  } catch (error) {
    if (error.code === 'EPIPE') return false;
    throw error;
  }
}

'use strict';
// The driver: frames in, frames out, every outcome, including tier 0.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const path = require('node:path');
const { after, test } = require('node:test');

const { functions } = require(path.join(process.env.PACKAGE, 'lib/types.js'));
const { Frames } = require(path.join(process.env.PACKAGE, 'lib/frames.js'));
const { Writer } = require(path.join(process.env.PACKAGE, 'lib/wire.js'));

const reader = ['--require', path.join(__dirname, 'reads_typescript.js')];
const driver = spawn(process.execPath, [...reader, path.join(process.env.PACKAGE, 'driver/driver.mjs')], {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
});
const [requests, answers] = [driver.stdio[3], driver.stdio[4]];
const waiting = [];
const frames = new Frames((bytes) => waiting.shift()(Buffer.from(bytes)));
answers.on('data', (chunk) => frames.take(chunk));
const ended = new Promise((resolve) => driver.on('exit', resolve));

after(async () => {
  requests.end();
  assert.equal(await ended, 0, 'the end of the requests is the end of the driver');
});

/** Requests a call; resolves with `[outcome, content]`. */
async function call(row, name, args, repeat = 1) {
  const number = functions.findIndex((definition) => definition.name === name);
  const encoded = new Writer();
  functions[number].writeArguments(encoded, args);
  const request = new Writer();
  request.text(row);
  request.count(number);
  request.count(repeat);
  request.bytes(encoded.written());
  const length = Buffer.alloc(4);
  length.writeUInt32LE(request.length);
  requests.write(Buffer.concat([length, request.written()]));
  const answer = await new Promise((resolve) => waiting.push(resolve));
  assert.equal(answer.readUInt32LE(9), answer.length - 13);
  if (answer[0] === 0) assert.ok(answer.readBigUInt64LE(1) > 0n);
  return [answer[0], answer.subarray(13).toString()];
}

test('a value', async () => {
  assert.deepEqual(await call('0', 'echoText', ['ä'], 3), [0, '\x02\0\0\0ä']);
  assert.deepEqual(await call('0:tuned', 'echoText', ['b']), [0, '\x01\0\0\0b']);
  assert.deepEqual(await call('0:free', 'echoText', ['c'], 100), [0, '\x01\0\0\0c']);
});

test('an absent argument leaves the default to the baseline', async () => {
  assert.match((await call('0', 'echoOptionText', [null]))[1], /the default$/);
});

test('a baseline in TypeScript that `require` alone can read', async () => {
  assert.deepEqual(await call('0:typed', 'echoText', ['d']), [0, '\x01\0\0\0d']);
});

test("a baseline's error", async () => {
  assert.deepEqual(await call('0', 'fail', ['words']), [1, 'words']);
});

test('what is not there', async () => {
  const [outcome, message] = await call('3:native', 'echoText', ['a']);
  assert.equal(outcome, 4);
  assert.match(message, /cannot run at tier 3:native: it was not built/);
  assert.match((await call('0:other', 'echoText', ['a']))[1], /with\({ baselines.other }\)/);
  assert.deepEqual(await call('0', 'echoBool', [true]), [4, 'baseline has no function echoBool']);
  assert.match((await call('9', 'echoText', ['a']))[1], /9 is not a tier/);
});

test('a driver whose answers nobody reads ends without a word', async () => {
  const other = spawn(process.execPath, [path.join(process.env.PACKAGE, 'driver/driver.mjs')], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  let said = '';
  other.stderr.on('data', (chunk) => (said += chunk));
  const ends = new Promise((resolve) => other.on('close', resolve));
  other.stdio[4].destroy();
  other.stdio[3].on('error', () => {});
  // A call of an unknown row: function 0, once, without arguments.
  const request = Buffer.from([13, 0, 0, 0, 1, 0, 0, 0, 57, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  request.writeUInt32LE(request.length - 4);
  other.stdio[3].write(request);
  assert.deepEqual([await ends, said], [0, '']);
});

test('large frames', async () => {
  const [outcome, content] = await call('0', 'echoText', ['x'.repeat(5_000_000)]);
  assert.deepEqual([outcome, content.length], [0, 5_000_004]);
});

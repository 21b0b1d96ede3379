'use strict';
// A program in JavaScript that behaves like the one in Rust, and in ways that it never should; packages that run it.

const path = require('node:path');
const { abi, packageWith } = require('./fixture.js');

const { functions } = require(path.join(process.env.PACKAGE, 'lib/types.js'));
const numberOf = (name) => functions.findIndex((definition) => definition.name === name);

/** A binding that is loaded with these variables in the environment, from a package of its own. */
function limited(tier, variables, code = program) {
  Object.assign(process.env, variables);
  try {
    const own = packageWith(both, abi, code);
    return Object.assign(own.with({ tier }), { folder: own.folder, CallTimeoutError: own.CallTimeoutError, TransportError: own.TransportError });
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

/** A worker: `echoText` gives its argument back, some words are orders; any other function answers `true`. */
const program = `#!${process.execPath}
const fs = require('node:fs');
const [mode, ...rest] = process.argv.slice(2);
${'/* before */'}
const answers = (number, args) => {
  if (number !== ${numberOf('echoText')}) return Buffer.from([0, 1]);
  const text = args.subarray(4).toString();
  if (text === 'exit') { console.error('first line'); console.error('last words'); process.exit(7); }
  if (text === 'kill') process.kill(process.pid, 'SIGKILL');
  if (text === 'hang') { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }
  if (text === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  if (text === 'daemon') require('node:child_process').spawn('sleep', ['20'], { stdio: ['ignore', 'ignore', 'inherit'], detached: true }).unref();
  if (text === 'error') return Buffer.from([1, 2, 0, 0, 0, 110, 111]);
  if (text === 'panic') return Buffer.from([2, 2, 0, 0, 0, 110, 111]);
  if (text === 'garbage') return Buffer.from([9]);
  return Buffer.concat([Buffer.from([0]), args]);
};
if (mode === '--tierup-call') {
  fs.writeSync(1, answers(Number(rest[0]), fs.readFileSync(0)));
} else if (mode === '--tierup-companion') {
  const socket = __filename + '-' + process.pid;
  require('node:net').createServer((connection) => {
    const worker = require('node:child_process').spawn(__filename, ['--tierup-worker', rest[0]], { stdio: ['pipe', 'pipe', 'inherit'] });
    connection.pipe(worker.stdin.on('error', () => {}));
    worker.stdout.pipe(connection.on('error', () => {}));
    connection.on('close', () => worker.kill('SIGKILL'));
    process.on('exit', () => worker.kill('SIGKILL'));
  }).listen(socket, () => console.log(socket));
  process.setMaxListeners(0);
  process.stdin.resume().on('end', () => process.exit()).on('error', () => process.exit());
} else {
  const hello = Buffer.alloc(8);
  hello.writeBigUInt64LE(BigInt('0x' + rest[0]));
  writeAll(hello);
  let waiting = Buffer.alloc(0);
  process.stdin.on('data', (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE(0)) {
      const end = 4 + waiting.readUInt32LE(0);
      const isTwice = waiting.subarray(12, end).toString() === 'twice';
      const answer = answers(waiting.readUInt32LE(4), waiting.subarray(8, end));
      waiting = waiting.subarray(end);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(answer.length);
      writeAll(Buffer.concat(isTwice ? [length, answer, length, answer] : [length, answer]));
    }
  });
}
function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try { at += fs.writeSync(1, bytes, at); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
  }
}
`;

const both = { '1:spawn': { built: true }, '1:pool': { built: true } };

module.exports = { both, limited, program };

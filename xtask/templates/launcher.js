#!/usr/bin/env node
// Starts the program from this platform's package, which npm installed with this one. Downloads nothing.
'use strict';
const { spawn } = require('node:child_process');

const name = `@tierup/cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/tierup`);
} catch {
  console.error(`error: the package \`${name}\`, which holds tierup for this platform, is not installed`);
  console.error('hint: tierup is built for {{platforms}}; install it without --omit=optional, and with a lock file of this platform');
  process.exit(3);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl-C to both processes, so it is not forwarded: a second one would hurry the program.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(3);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

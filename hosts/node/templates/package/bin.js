#!/usr/bin/env node
// Made by tierup; the same in every package.
//
// The functions as a command: passes everything on to the program in `artifacts/`.
'use strict';

const { spawn } = require('node:child_process');
const { artifact, requireBuilt } = require('./lib/built');
const { packageName } = require('./lib/types');

// Both variants that run the program stand for it.
try {
  requireBuilt('1:spawn');
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

const suffix = process.platform === 'win32' ? '.exe' : '';
const child = spawn(artifact(`${packageName}${suffix}`), process.argv.slice(2), { stdio: 'inherit' });

child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
});

// A terminal sends these to both; the program decides what they mean, and this process follows it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}

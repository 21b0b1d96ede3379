#!/usr/bin/env node
// Made by tierup; the same in every package.
//
// The functions as a command: passes everything on to the program in `artifacts/`.
'use strict';

const { spawn } = require('node:child_process');
const { artifact, isBuilt, requireBuilt } = require('./lib/built');
const { packageName } = require('./lib/types');

/** Both variants that run the program stand for it. */
const VARIANTS = ['1:spawn', '1:pool'];

const program = (() => {
  try {
    const variant = VARIANTS.find(isBuilt) ?? VARIANTS[0];
    requireBuilt(variant);
    return artifact(variant, `${packageName}${process.platform === 'win32' ? '.exe' : ''}`);
  } catch (error) {
    console.error(error.message);
    return process.exit(1);
  }
})();

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });

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

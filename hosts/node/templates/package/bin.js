#!/usr/bin/env node
// Made by tierup; the same in every package.
//
// The functions as a command: runs the program in `artifacts/` with the same arguments.
'use strict';

const { spawn } = require('node:child_process');
const { artifact, isBuilt, requireBuilt } = require('./lib/built');
const { usable } = require('./lib/processes');
const { packageName } = require('./lib/types');

/** Either of the two variants that run the program will do. */
const VARIANTS = ['1:spawn', '1:pool'];

const program = (() => {
  try {
    const variant = VARIANTS.find(isBuilt) ?? VARIANTS[0];
    requireBuilt(variant);
    return artifact(variant, `${packageName}${process.platform === 'win32' ? '.exe' : ''}`, usable);
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

// A terminal sends these to both processes. The program decides what they mean, and this process ends after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}

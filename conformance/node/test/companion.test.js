'use strict';
// `1:pool`: a worker that does not start, and threads of Node's. What all languages promise is in
// `crates/tierup/tests/conformance/starts.rs`.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { eventually, programs } = require('./programs.js');

const FOLDER = path.dirname(fs.realpathSync(require.resolve('conformance')));

it('calls that have a worker do not learn that another did not start', { timeout: 120_000 }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-'));
  try {
    fs.cpSync(FOLDER, folder, { recursive: true });
    const program = path.join(folder, 'artifacts/conformance');
    fs.renameSync(program, `${program}.real`);
    // Only the first worker starts.
    const script = `#!/bin/bash
      [ "$1" = --tierup-companion ] && exec -a "$0" "$0.real" "$@"
      mkdir "$0.started" 2>/dev/null || { sleep 0.5; exit 2; }
      exec "$0.real" "$@"`;
    fs.writeFileSync(program, script, { mode: 0o755 });
    const code = `
      const c = require('${folder}').with({ tier: '1:pool' });
      Promise.all(Array.from({ length: 20 }, (_, n) => c.echoText(String(n))))
        .then((answers) => console.log(answers.every((answer, n) => answer === String(n))))
        .then(() => c.ready())
        .catch((error) => console.log(error.message));`;
    const env = { ...process.env, TIERUP_WORKERS: '2' };
    const output = execFileSync(process.execPath, ['-e', code], { env, encoding: 'utf8' });
    assert.equal(output, `true\n${program} ended with exit code 2: standard error has its last words\n`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

it('nothing outlives a thread that is ended', { timeout: 120_000 }, async () => {
  const code = `
    const c = require('conformance').with({ tier: '1:pool' });
    c.echoText('x').then((text) => require('node:worker_threads').parentPort.postMessage(text));
    setInterval(() => {}, 1000);`;
  const thread = new Worker(code, { eval: true });
  await new Promise((resolve) => thread.once('message', resolve));
  await thread.terminate();
  await eventually(programs, []);
});

'use strict';
// `1:pool`: what the package does if a worker does not start, or if a worker or the companion, which starts the workers, ends. When
// workers are started is tested in `crates/tierup-codegen/tests/companion/`.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { eventually, lives, programs } = require('./programs.js');

const FOLDER = path.dirname(fs.realpathSync(require.resolve('conformance')));
const { CallTimeoutError, TransportError, with: bind } = require('conformance');
const { abi } = require(path.join(FOLDER, 'lib/types.js'));

/** A test with a pool of its own, under these variables. All processes must end when it is closed. */
function pool(name, variables, body) {
  it(name, { timeout: 120_000 }, async () => {
    Object.assign(process.env, variables);
    const c = bind({ tier: '1:pool' });
    for (const variable of Object.keys(variables)) delete process.env[variable];
    try {
      await body(c);
    } finally {
      await c.close();
    }
    await eventually(programs, []);
  });
}

const workers = () => programs('--tierup-connection');
const companions = () => programs('--tierup-companion');

/** Kills processes, which may have ended, and waits for their end. The event loop does not run meanwhile. */
function kill(pids, signal = 'SIGKILL') {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      assert.equal(error.code, 'ESRCH');
    }
  }
  while (signal === 'SIGKILL' && pids.some(lives));
}

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

pool('the companion is started anew, and its workers live on', { TIERUP_WORKERS: '2' }, async (c) => {
  await c.ready();
  const [first, second] = workers();
  const call = c.churn(1n, 500_000_000);
  kill(companions());
  assert.equal(await c.echoText('a'), 'a');
  await call;
  assert.ok(lives(first) && lives(second) && companions().length === 0);
  kill([first, second]);
  // No call goes to a worker that has ended, although the package does not know of the end yet.
  assert.deepEqual(await Promise.all(['b', 'c', 'd'].map((text) => c.echoText(text))), ['b', 'c', 'd']);
  await c.ready();
  assert.deepEqual([companions().length, workers().length], [1, 2]);
});

pool('kills at random lose calls but give no wrong answer', { TIERUP_WORKERS: '4' }, async (c) => {
  let isOver = false;
  let right = 0;
  const client = async (number) => {
    while (!isOver) {
      const text = `${number} ${right}`;
      try {
        assert.equal(await c.echoText(text), text);
        right += 1;
      } catch (error) {
        assert.ok(error instanceof TransportError, String(error));
      }
      await new Promise(setImmediate);
    }
  };
  const clients = [0, 1, 2, 3, 4, 5].map(client);
  for (let number = 0; number < 20; number += 1) {
    const before = right;
    kill((number % 4 === 3 ? companions() : workers()).slice(0, 1));
    for (let wait = 0; wait < 3000 && right === before; wait += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  isOver = true;
  await Promise.all(clients);
  assert.ok(right >= 20, String(right));
  // The last kill may hit a companion that is starting: then calls fail for half a second.
  let after;
  for (let wait = 0; wait < 100 && after === undefined; wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    after = await c.echoText('after').catch((error) => assert.ok(error instanceof TransportError, String(error)));
  }
  assert.equal(after, 'after');
});

pool('a worker that reads no more is left', { TIERUP_WORKERS: '1', TIERUP_CALL_TIMEOUT: '4' }, async (c) => {
  await c.ready();
  const stopped = workers();
  kill(stopped, 'SIGSTOP');
  await assert.rejects(c.echoBytes(Buffer.alloc(16 << 20)), (error) => error instanceof CallTimeoutError && /longer than 4 s/.test(error.message));
  assert.equal(await c.echoText('next'), 'next');
  kill(stopped);
});

pool('close gives up a call that does not end', { TIERUP_WORKERS: '1' }, async (c) => {
  const calls = Promise.allSettled([c.hangOn('really'), c.echoText('behind it'), c.echoText('waits')]);
  await c.close();
  for (const { reason } of await calls) assert.equal(reason.message, 'the pool was closed before the call was answered');
});

const socket = path.join(os.tmpdir(), `tierup-conformance-${process.pid}.sock`);
pool('a companion that somebody else has started', { TIERUP_POOL_SOCKET: socket }, async (c) => {
  const nobody = `nobody listens on ${socket} (TIERUP_POOL_SOCKET): does its program run?`;
  await assert.rejects(c.echoText('early'), (error) => error instanceof TransportError && error.message === nobody);
  const companion = spawn(path.join(FOLDER, 'artifacts/conformance'), ['--tierup-listen', socket, abi], { stdio: 'ignore' });
  try {
    await eventually(() => fs.existsSync(socket), true);
    await c.ready();
    assert.equal(await c.echoText('x'), 'x');
    assert.deepEqual(companions(), []);
  } finally {
    companion.kill();
    fs.rmSync(socket, { force: true });
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

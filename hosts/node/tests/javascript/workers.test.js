'use strict';
// `0:workers`: the server's own functions in threads, and what happens when a thread ends.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { threadId } = require('node:worker_threads');

const folder = process.env.PACKAGE;
const package_ = require(folder);
const baseline = require('./baseline.js');

process.env.TIERUP_WORKERS = '2';

test('calls are made in other threads, with the same answers', async () => {
  const bound = package_.with({ baseline, tier: '0:workers' });
  try {
    await bound.ready();
    assert.equal(bound.tier, '0:workers');
    assert.equal(await bound.echoText('ä\u0000'), 'ä\u0000');
    const bytes = await bound.echoBytes(Buffer.from([0, 255]));
    assert.ok(Buffer.isBuffer(bytes));
    assert.deepEqual(bytes, Buffer.from([0, 255]));
    const threads = await Promise.all(['thread', 'thread'].map((order) => bound.printAndReturn(order)));
    assert.equal(new Set([...threads, String(threadId)]).size, 3, `${threads}`);
    assert.equal(await bound.printAndReturn('later'), 'later');
    assert.throws(() => bound.echoTextSync('x'), /not supported at tier 0:workers/);
  } finally {
    await bound.close();
  }
  await assert.rejects(bound.echoText('x'), /closed/);
});

test('errors are those of the function', async () => {
  const bound = package_.with({ baseline, tier: '0:workers' });
  try {
    await assert.rejects(bound.fail('mine'), (error) => error instanceof Error && error.message === 'mine');
    await assert.rejects(bound.printAndReturn('range'), (error) => error instanceof RangeError && error.code === 'E_RANGE');
    await assert.rejects(bound.printAndReturn('odd'), (error) => error instanceof baseline.Odd && error.name === 'Odd' && error.message === 'not copied');
    await assert.rejects(bound.echoBool(true), /no function echoBool/);
  } finally {
    await bound.close();
  }
});

test('arguments that do not fit the signature go to the function itself', async () => {
  const bound = package_.with({ baseline, tier: '0:workers' });
  const odd = () => {};
  assert.equal(await bound.echoText(odd), odd);
  assert.equal(await bound.echoText('text', 'an argument beyond the signature'), 'an argument beyond the signature');
  await bound.close();
});

test('a thread that ends fails its calls, and another takes its place', async () => {
  const bound = package_.with({ baseline, tier: '0:workers' });
  try {
    await bound.ready();
    const lost = await Promise.allSettled(['exit', 'exit', 'exit'].map((order) => bound.printAndReturn(order)));
    for (const { reason } of lost) assert.match(reason.message, /worker thread of 0:workers ended with exit code 3/);
    assert.equal(lost[0].reason.code, 'TIERUP_TRANSPORT');
    assert.equal(await bound.echoText('after'), 'after');
    await assert.rejects(bound.printAndReturn('uncaught'), /worker thread of 0:workers failed: uncaught/);
    assert.equal(await bound.echoText('after'), 'after');
  } finally {
    await bound.close();
  }
});

test('a module that cannot be loaded fails the calls, and without one the tier is refused', async () => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-'));
  try {
    fs.cpSync(folder, copy, { recursive: true });
    const own = (text) => fs.writeFileSync(path.join(copy, 'lib/own.js'), `module.exports = { ownModule: ${text} };`);
    const code = `
      const bound = require('./index.js').with({ baseline: { echoText: (text) => text }, tier: '0:workers' });
      const why = (error) => console.log(error.message);
      (async () => {
        await bound.ready().catch(why);
        await bound.echoText('x').catch(why);
        await bound.close();
      })();`;
    const run = () => execFileSync(process.execPath, ['--eval', code], { cwd: copy, encoding: 'utf8', stdio: 'pipe' });
    fs.writeFileSync(path.join(copy, 'broken.js'), 'throw new Error("broken module");');
    own(JSON.stringify(path.join(copy, 'broken.js')));
    assert.match(run(), /failed: broken module\n.*failed: broken module\n/);
    own('"/nowhere/at/all.js"');
    assert.throws(run, /there is no module \/nowhere\/at\/all\.js/);
    own('null');
    assert.throws(run, /tierup.toml must name their module/);
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
});

test('a process without calls ends although its threads run', () => {
  const code = `
    const bound = require(process.env.PACKAGE).with({ baseline: require('./baseline.js'), tier: '0:workers' });
    bound.ready().then(() => bound.echoText('x')).then(console.log);`;
  assert.equal(execFileSync(process.execPath, ['--eval', code], { cwd: __dirname, encoding: 'utf8', timeout: 60_000 }), 'x\n');
});

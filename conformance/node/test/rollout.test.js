'use strict';
// TIERUP_ROLLOUT in Node alone: synchronous calls, values of other types, errors, the end of a process. What all languages promise
// is in `crates/tierup/tests/conformance/rollout.rs`.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { with: bind } = require('conformance');
const different = require('../different.js');
const { eventually, programs } = require('./programs.js');

/** A control file in a folder of its own. */
function controlFile(text) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-')), 'rollout');
  fs.writeFileSync(file, text);
  return file;
}

/** A test of the baseline under a control file with these lines. `said` gets the warnings that are printed meanwhile. */
function test(name, lines, body) {
  it(name, { timeout: 120_000 }, async (t) => {
    const file = controlFile(lines);
    const said = [];
    t.mock.method(console, 'warn', (line) => said.push(line));
    process.env.TIERUP_ROLLOUT = file;
    const c = bind({ tier: '0', baseline: different });
    await c.ready();
    delete process.env.TIERUP_ROLLOUT;
    try {
      // On a busy machine it may take longer than `ready()` waits.
      await eventually(() => evidence(file).length, 1);
      await body(c, file, said);
    } finally {
      await c.close();
      fs.rmSync(path.dirname(file), { recursive: true });
    }
    await eventually(programs, []);
  });
}

/** The counts of a control file's processes. */
function evidence(file) {
  const folder = `${file}.evidence`;
  const names = (fs.existsSync(folder) ? fs.readdirSync(folder) : []).filter((name) => name.endsWith('.jsonl'));
  // A file that was just made is empty.
  const texts = names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8').trim()).filter((text) => text !== '');
  return texts.map((text) => JSON.parse(text.split('\n')[0]));
}

const SHADOW = 'candidate=3:native\nshadow=1\nkeep=values\n';
const SHARE = 'candidate=3:native\nshare=1\n';

test('calls of both kinds are compared, and those that Rust would refuse are counted', SHADOW, async (c, file) => {
  assert.equal(await c.echoText('a'), 'a');
  assert.equal(c.echoTextSync('😀'), ':-)');
  // The caller gets the server's own error.
  await assert.rejects(c.fail('it'), (error) => error.constructor === RangeError && error.message === 'own words for it');
  assert.throws(() => c.failSync('it'), RangeError);
  // The control changes its arguments. The candidate gets them unchanged.
  const texts = ['a', 'b'];
  assert.deepEqual(await c.echoTexts(texts), ['a', 'b']);
  assert.deepEqual(texts, []);
  // This call is not sampled, as `echoText` has no second argument. Rust would refuse the number.
  assert.equal(await c.echoText('a', 'b'), 'a');
  assert.equal(await c.echoText(7), 7);
  const found = () => evidence(file).map(({ compared, different: differ, host }) => [compared, differ, host.sampled, host.refused, host.refusal]);
  await eventually(found, [[5, 1, 6, 1, 'echoText: text: expected a string, got 7']]);
  // The value is forgotten with the line that asks for it.
  fs.writeFileSync(file, SHADOW.replace('keep=values\n', ''));
  await eventually(found, [[5, 1, 6, 1, 'echoText']]);
});

test('no value of a refused call is written unless the control file asks for it', 'candidate=3:native\nshadow=1\n', async (c, file) => {
  assert.equal(await c.echoText(7), 7);
  await eventually(() => evidence(file).map(({ host }) => [host.refused, host.refusal]), [[1, 'echoText']]);
});

test('the control answers synchronous calls that panic', SHARE, async (c, file, said) => {
  for (let number = 0; number < 1000; number += 1) {
    assert.equal(c.panicIfSync(true, `x${number}`), `X${number}`);
    assert.equal(c.panicIfSync(false, 'x'), 'X');
  }
  assert.equal(c.echoTextSync('😀'), '😀', 'the candidate answers');
  await assert.rejects(c.fail('it'), RangeError);
  assert.equal(await c.echoText(7), 7);
  await c.close();
  const { shared, panics, errors, refused } = evidence(file)[0].host;
  assert.deepEqual([shared, panics, errors, refused], [2003, 1000, 1, 1]);
  assert.equal(said.filter((line) => line.includes('failed')).length, 0);
});

test('a candidate in a process of its own cannot answer synchronous calls', 'candidate=1:pool\nshare=1\nshadow=1\n', async (c, file) => {
  assert.equal(await c.hangOn('changed'), 7, 'the candidate answers');
  assert.equal(c.hangOnSync('changed'), 0);
  await eventually(() => evidence(file).map(({ compared, different: differ, host }) => [compared, differ, host.shared, host.sampled]), [[1, 1, 1, 1]]);
});

/** Runs code with the package in a process of its own. Returns its output, and how it ended. */
function run(file, code) {
  const own = `const c = require('conformance').with({ tier: '0', baseline: { echoText: (text) => text } });\n`;
  const env = { ...process.env, TIERUP_ROLLOUT: file };
  return spawnSync(process.execPath, ['-e', own + code], { env, encoding: 'utf8', cwd: __dirname, timeout: 60_000 });
}

it('a process ends when it has nothing to do, and its evidence is there', { timeout: 120_000 }, async () => {
  const file = controlFile(SHADOW);
  const began = performance.now();
  const { stdout, status } = run(file, `c.ready().then(() => { for (let n = 0; n < 10; n += 1) c.echoTextSync('a'); console.log('over'); });`);
  assert.deepEqual([stdout, status], ['over\n', 0]);
  assert.ok(performance.now() - began < 30_000);
  await eventually(() => evidence(file).map((counts) => [counts.compared + counts.dropped, counts.host.calls]), [[10, 10]]);
  fs.rmSync(path.dirname(file), { recursive: true });
});

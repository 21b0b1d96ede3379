'use strict';
// Which tier runs, the message if it cannot, and tier 0.

const assert = require('node:assert/strict');
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { pathToFileURL } = require('node:url');
const { packageWith } = require('./fixture.js');

const folder = process.env.PACKAGE;
const package_ = require(folder);
const baseline = require('./baseline.js');

test('nothing is built: the baseline runs where there is one', async () => {
  const { tier, echoText, echoTextSync } = package_.with({ baseline });
  assert.equal(tier, '0');
  assert.equal(await echoText('x'), 'x');
  assert.equal(echoTextSync('y'), 'y');
  assert.throws(() => package_.with(), /nothing to run: it has no baseline, and\n  3:native: it was not built: run `tierup build --tiers 3:native`/);
  await assert.rejects(package_.echoText('x'), /nothing to run/);
  assert.throws(() => package_.echoTextSync('x'), /nothing to run/);
});

test('nothing is built: that is said once, and in metrics()', () => {
  const script = `
    const package_ = require(process.env.PACKAGE);
    const [one] = [1, 2].map(() => package_.with({ baseline: require('./baseline.js') }));
    one.echoTextSync('x');
    console.log(JSON.stringify(one.metrics()));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: __dirname, encoding: 'utf8' });
  const { package: name, tier, asked, instead, calls } = JSON.parse(stdout);
  assert.deepEqual([name, tier, asked, calls], ['conformance', '0', '', 1]);
  assert.equal(instead, 'conformance: your own code runs, at tier 0, as no variant is built here: run `tierup build`');
  assert.equal(stderr, `${instead}\n`);
});

test('arguments, answers and errors of a baseline pass as they are', async () => {
  const error = new Error('mine');
  const given = {
    echoText: async (...args) => args,
    fail() {
      throw error;
    },
  };
  const bound = package_.with({ baseline: given, tier: '0' });
  const circular = {};
  circular.self = circular;
  assert.deepEqual(await bound.echoText(circular, 2), [circular, 2]);
  await assert.rejects(bound.fail(), (thrown) => thrown === error);
  assert.throws(() => bound.failSync(), (thrown) => thrown === error);
  assert.throws(() => bound.echoTextSync('x'), /asynchronous: call echoText\(\) instead of echoTextSync\(\)/);
  await assert.rejects(bound.echoBool(true), /no function echoBool/);
});

test('other baselines have labels', async () => {
  const tuned = { echoText: () => 'tuned' };
  const bound = package_.with({ baseline, baselines: { tuned }, tier: '0:tuned' });
  assert.equal(bound.tier, '0:tuned');
  assert.equal(await bound.echoText('x'), 'tuned');
});

test('wrong options are told', () => {
  assert.throws(() => package_.with({ basline: baseline }), /knows baseline, baselines, tier, but not basline/);
  assert.throws(() => package_.with({ baseline: () => {} }), TypeError);
  assert.throws(() => package_.with({ baseline: null }), TypeError);
  assert.throws(() => package_.with({ baseline: { echoTxt: () => {} } }), /none of .*echoText/);
  assert.throws(() => package_.with({ baselines: { free: baseline } }), /cannot label/);
  assert.throws(() => package_.with({ baseline, tier: 3 }), TypeError);
  assert.throws(() => package_.with({ baseline, tier: '0:tuned' }), /with\({ baselines.tuned }\)/);
  assert.throws(() => package_.with({ tier: '0' }), /with\({ baseline }\)/);
  assert.throws(() => package_.with({ baseline, tier: '9' }), /9 is not a tier: use 0/);
  assert.throws(() => package_.with({ baseline, tier: 'constructor' }), /not a tier/);
  assert.throws(() => package_.with({ baseline, tier: '4' }), /a separate server/);
});

test('a variant that cannot run is an error, never another tier', () => {
  const built = packageWith({
    '2:core': { built: true },
    '2:bindgen': { built: false, reason: 'no wasm target' },
  });
  assert.throws(() => built.with({ baseline, tier: '3:native' }), /tier 3:native: it was not built: run `tierup build --tiers 3:native`/);
  assert.throws(() => built.with({ baseline, tier: '2:bindgen' }), /could not be built: no wasm target/);
  assert.throws(() => built.with({ baseline, tier: '2:core' }), /tier 2:core: .*core\.wasm is missing: run `tierup build --tiers 2:core`/);
  assert.throws(() => built.with({ baseline }), /tier 2:core: .*core\.wasm/);
  assert.throws(() => built.with({ baseline, tier: '1' }), /tier 1:\n  1:pool: it was not built.*\n  1:spawn/);
});

test('the command runs the program whichever variant it was built for', { skip: process.platform === 'win32' }, () => {
  const run = (built) => spawnSync(process.execPath, [path.join(built.folder, 'bin.js'), 'x'], { encoding: 'utf8' });
  const none = run(packageWith({ '2:core': { built: true } }));
  assert.equal(none.status, 1);
  assert.match(none.stderr, /1:spawn: it was not built: run `tierup build --tiers 1:spawn`/);
  for (const variant of ['1:spawn', '1:pool']) {
    const built = packageWith({ [variant]: { built: true } });
    assert.match(run(built).stderr, /artifacts\/conformance is missing: run `tierup build --tiers 1:/);
    fs.mkdirSync(path.join(built.folder, 'artifacts'), { recursive: true });
    fs.writeFileSync(path.join(built.folder, 'artifacts/conformance'), '#!/bin/sh\necho "ran with $1"\n', { mode: 0o755 });
    assert.equal(run(built).stdout, 'ran with x\n');
  }
});

test('what was built for another interface is not run', () => {
  const built = packageWith({ '3:native': { built: true } }, '0000000000000000');
  assert.throws(() => built.with({ tier: '3:native' }), /another interface .*run `tierup build`/);
  assert.throws(() => built.with({ tier: '3' }), /another interface/);
  assert.throws(() => built.with({ baseline }), /another interface/);
});

test('falling back is asked for, and told', () => {
  const built = packageWith({ '3:native': { built: true } });
  const script = `
    const { echoText, metrics } = require(${JSON.stringify(built.folder)}).with({ baseline: require('./baseline.js') });
    const { tier, asked, instead } = metrics();
    echoText('x').then((text) => console.log([tier, text, asked, instead].join('|')));`;
  const run = (environment) =>
    spawnSync(process.execPath, ['-e', script], { cwd: __dirname, encoding: 'utf8', env: { ...process.env, ...environment } });
  const back = run({ TIERUP_FALLBACK: '1', TIERUP_TIER: '3:native' });
  const [, why] = /^(conformance cannot run at tier 3:native: .*); falling back to tier 0\n$/.exec(back.stderr);
  assert.equal(back.stdout, `0|x|3:native|${why}\n`);
  const strict = run({ TIERUP_TIER: '3:native' });
  assert.equal(strict.status, 1);
  assert.match(strict.stderr, /cannot run at tier 3:native/);
  assert.match(run({ TIERUP_FALLBACK: '1', TIERUP_TIER: '7' }).stderr, /7 is not a tier/);
  const listed = run({ TIERUP_FALLBACK: '2:core, 0', TIERUP_TIER: '3:native' });
  assert.deepEqual([listed.stdout, listed.stderr], [back.stdout, back.stderr]);
  assert.match(run({ TIERUP_FALLBACK: '2:core', TIERUP_TIER: '3:native' }).stderr, /cannot run at tier 3:native/);
  assert.match(run({ TIERUP_FALLBACK: '2', TIERUP_TIER: '3:native' }).stderr, /TIERUP_FALLBACK: 2 is no variant/);
  assert.equal(run({ TIERUP_FALLBACK: '0', TIERUP_TIER: '3:native' }).status, 1);
});

test('the free tier goes on recording when it gives up calls that are under way', async () => {
  let calls = 0;
  const slow = async () => {
    calls += 1;
    await new Promise((resolve) => setTimeout(resolve, calls % 7));
    return Buffer.alloc(1 << 20);
  };
  const free = package_.with({ baseline: { echoText: slow }, tier: '0:free' });
  // These are more answers than it keeps.
  await Promise.all(Array.from({ length: 100 }, (_, i) => free.echoText(String(i))));
  assert.equal(calls, 100);
  for (let i = 0; i < 3; i += 1) await free.echoText('again');
  assert.equal(calls, 101);
});

test('the free tier records a call once and replays it', async () => {
  let calls = 0;
  const count = (value) => {
    calls += 1;
    if (value === 'fail') throw new Error('recorded');
    return value;
  };
  const given = { echoText: count, echoBytes: async (bytes) => Buffer.from(count(bytes)), echoShape: count };
  const free = package_.with({ baseline: given, tier: '0:free' });
  assert.equal(free.tier, '0:free');
  for (let i = 0; i < 3; i += 1) assert.equal(await free.echoText('a'), 'a');
  assert.equal(calls, 1);
  for (let i = 0; i < 3; i += 1) await assert.rejects(free.echoText('fail'), { message: 'recorded' });
  assert.equal(calls, 2);

  // Answers are copies: a caller that changes one does not change the next one.
  const twice = await Promise.all([free.echoBytes(Buffer.from('abc')), free.echoBytes(Buffer.from('abc'))]);
  assert.equal(calls, 3);
  twice[0][0] = 0;
  assert.equal(String(twice[1]), 'abc');
  assert.equal(String(await free.echoBytes(Buffer.from('abc'))), 'abc');
  assert.equal(String(free.echoBytesSync(Buffer.from('abc'))), 'abc');
  const shape = { type: 'Polygon', value: { corners: [{ x: 1, y: 2 }] } };
  (await free.echoShape(shape)).value.corners.pop();
  assert.deepEqual(await free.echoShape(structuredClone(shape)), shape);

  // Arguments that Rust would refuse are left to the baseline.
  calls = 0;
  assert.equal(await free.echoText(7), 7);
  assert.equal(await free.echoText(7), 7);
  assert.equal(calls, 2);
});

test('the free tier keeps a bounded record', async () => {
  const given = { echoText: (text) => Buffer.alloc(1 << 20, text) };
  const free = package_.with({ baseline: given, tier: '0:free' });
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 300; i += 1) await free.echoText(String(i));
  globalThis.gc?.();
  assert.ok(process.memoryUsage().arrayBuffers - before < 200 << 20);
});

test('the golden call', async () => {
  const { checkHealth } = package_.with({ baseline, tier: '0' });
  await checkHealth();
  const wrong = package_.with({ baseline: { echoText: () => 'other' }, tier: '0' });
  await assert.rejects(wrong.checkHealth(), /golden call of echoText at tier 0 gave a wrong answer: its SHA-256 is/);
  const broken = package_.with({ baseline: { echoText: () => 7 }, tier: '0' });
  await assert.rejects(broken.checkHealth(), /answer: expected a string, got 7/);
  const failing = package_.with({ baseline: { echoText: async () => Promise.reject(new Error('no')) }, tier: '0' });
  await assert.rejects(failing.checkHealth(), /golden call of echoText at tier 0 failed: no/);
});

test('hostile names are properties like any others', () => {
  const bound = package_.with({ baseline, tier: '0' });
  for (const name of ['class', 'delete', 'type', 'constructor', 'with_', 'close_', 'get_url', 'get_URL', 'getUrl']) {
    assert.equal(typeof bound[name], 'function', name);
    assert.equal(typeof bound[`${name}Sync`], 'function', name);
    assert.ok(Object.hasOwn(package_, name), name);
  }
  assert.equal(typeof bound.then, 'undefined');
});

test('an ES module imports what a CommonJS module requires', () => {
  const script = `
    import conformance, { with as withBaseline, class as class_, echoText, CallError } from ${JSON.stringify(pathToFileURL(path.join(folder, 'index.mjs')))};
    const { tier } = withBaseline({ baseline: { echoText: (text) => text }, tier: '0' });
    console.log(tier, typeof class_, typeof echoText, conformance.CallError === CallError);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(output, '0 function function true\n');
});

'use strict';
// The package that `tierup package` makes, which has files for several platforms and runs where nothing can be built.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { packageWith } = require('./fixture.js');

const platform = `${process.platform}-${process.arch}`;
const isWindows = process.platform === 'win32';
const everything = Object.fromEntries(['1:pool', '1:spawn', '2:core', '3:native'].map((name) => [name, { built: true }]));

/** The folder of such a package with these files in `artifacts/`. */
function published(files, variants = everything) {
  const { folder } = packageWith(variants);
  const manifest = path.join(folder, 'package.json');
  const { private: _, ...others } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  fs.writeFileSync(manifest, JSON.stringify(others));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, 'artifacts', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content, { mode: 0o755 });
  }
  return folder;
}

/** Binds in a separate process, and prints the tier, or the error with its causes. */
function bound(folder, environment, options = "{ baseline: require('./baseline.js') }") {
  const script = `
    try {
      console.log(require(${JSON.stringify(folder)}).with(${options}).tier);
    } catch (error) {
      for (let one = error; one; one = one.cause) console.log(one.message);
    }`;
  const env = { ...process.env, ...environment };
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: __dirname, encoding: 'utf8', env });
  return { stdout, stderr };
}

test('no shell runs a file that is no program for this machine, and the fallback does', { skip: isWindows }, () => {
  const node = fs.readFileSync(process.execPath).subarray(0, 4096);
  const other = Buffer.from(node);
  other[process.platform === 'linux' ? 18 : 4] ^= 0xff;
  const marker = path.join(published({}), 'a shell ran');
  for (const content of [`touch '${marker}'\n`, other, '']) {
    const folder = published({ [`${platform}-gnu/conformance`]: content });
    for (const tier of ['1:spawn', '1:pool']) {
      const { stdout, stderr } = bound(folder, { TIERUP_TIER: tier, TIERUP_FALLBACK: '2:core,0' });
      assert.equal(stdout, '0\n');
      const why = `${platform}-gnu: it is no program for ${process.platform} and ${process.arch}; falling back to tier 0\n`;
      assert.ok(stderr.endsWith(why), stderr);
    }
  }
  assert.equal(fs.existsSync(marker), false);
});

test('a program for this machine runs, also beside one for another C library', { skip: isWindows }, () => {
  const folder = published({ [`${platform}-gnu/conformance`]: '' });
  fs.mkdirSync(path.join(folder, 'artifacts', `${platform}-musl`));
  fs.symlinkSync(process.execPath, path.join(folder, 'artifacts', `${platform}-musl/conformance`));
  assert.deepEqual(bound(folder, { TIERUP_TIER: '1:spawn' }), { stdout: '1:spawn\n', stderr: '' });
});

test("musl's addon is tried before glibc's, and its program after", () => {
  const files = [`${platform}-gnu`, `${platform}-musl`].flatMap((folder) => [`${folder}/native.node`, `${folder}/conformance`]);
  const { artifact } = require(path.join(published(Object.fromEntries(files.map((name) => [name, '']))), 'lib/built.js'));
  const order = (name) => {
    const tried = [];
    const use = (file) => {
      tried.push(path.basename(path.dirname(file)).split('-').pop());
      throw new Error('no');
    };
    assert.throws(() => artifact('3:native', name, use), /none of the package's files/);
    return tried;
  };
  assert.deepEqual([order('native.node'), order('conformance')], [['musl', 'gnu'], ['gnu', 'musl']]);
});

test('TIERUP_FALLBACK is read before anything fails', () => {
  for (const tier of ['0', '3:native']) {
    const { stdout } = bound(published({}), { TIERUP_TIER: tier, TIERUP_FALLBACK: '2:core,sure' });
    assert.match(stdout, /^TIERUP_FALLBACK: sure is no variant/);
  }
});

test('without a record of what was built, the fallback runs', () => {
  for (const record of ['{ "abi": ', 'null', '[]', undefined]) {
    const folder = published({});
    const file = path.join(folder, 'built.json');
    if (record === undefined) fs.rmSync(file);
    else fs.writeFileSync(file, record);
    for (const listed of ['1', '2:core,0']) {
      const { stdout, stderr } = bound(folder, { TIERUP_TIER: '3', TIERUP_FALLBACK: listed });
      assert.equal(stdout, '0\n', record);
      assert.match(stderr, record === undefined ? /made without it: .*; falling back to tier 0\n$/ : /built\.json is damaged .*; falling back to tier 0\n$/);
    }
    // Where something was built, the server's own code does not run unasked.
    if (record !== undefined) assert.match(bound(folder, {}).stdout, /built\.json is damaged/);
  }
});

test('a row that has no baseline is passed over, and what failed first stays the reason', () => {
  const folder = published({ [`${platform}-gnu/native.node`]: 'broken' });
  const next = bound(folder, { TIERUP_TIER: '3:native', TIERUP_FALLBACK: '0:tuned,0' });
  assert.equal(next.stdout, '0\n');
  const { stdout } = bound(folder, { TIERUP_TIER: '3:native', TIERUP_FALLBACK: '0,2:core' }, '{}');
  assert.match(stdout, /^conformance cannot run at tier 3:native: none of the package's files native\.node can be loaded here:\n/);
  assert.match(stdout, /\nnor at what TIERUP_FALLBACK permits:\n {2}tier 0 needs .*\n {2}conformance cannot run at tier 2:core: /);
  // The causes, including the system's own message.
  assert.match(stdout, /\nconformance cannot run at tier 3:native: .*\n.*\nnone of the package's files native\.node .*\n.*\n.*native\.node: .+\n$/);
});

test('nobody is told to build', () => {
  const remedy = /install the package again, or ask its maker for another one/;
  const partly = published({ 'beos-x64/native.node': '' }, { '3:native': { built: true }, '2:core': { built: true } });
  for (const [tier, words] of [
    ['3:native', `the package has no native\\.node for ${platform}, only for beos-x64: `],
    ['2:core', `the package has no core\\.wasm for ${platform}: `],
    ['1:spawn', 'the package was made without it: '],
  ]) {
    const { stdout } = bound(partly, { TIERUP_TIER: tier });
    assert.match(stdout, new RegExp(words + remedy.source));
    assert.doesNotMatch(stdout, /tierup build/);
  }
  const { stderr } = bound(published({}, {}), {});
  assert.match(stderr, remedy);
  assert.doesNotMatch(stderr, /tierup build/);
});

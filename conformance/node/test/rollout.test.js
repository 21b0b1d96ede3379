'use strict';
// TIERUP_ROLLOUT: the control's answers reach every caller, whatever the candidate, the disk or the companion does. Answers that
// differ are found.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync, spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { with: bind } = require('conformance');
const { eventually, programs } = require('./programs.js');

/** Functions of a server: like those in Rust, but for some inputs. */
const OWN = {
  echoText: (text) => (text === '😀' ? ':-)' : text),
  panicIf: (condition, text) => text.toUpperCase(),
  fail: (words) => {
    throw new RangeError(`own words for ${words}`);
  },
  hangOn: (word) => (word === 'changed' ? 0 : word.length),
  makeBytes: (length) => Buffer.from({ length: Math.min(length, 100) }, (_, place) => place),
  echoTexts: async (texts) => {
    const answer = [...texts];
    texts.length = 0;
    await sleep(1);
    return answer;
  },
  echoBytes: (bytes) => bytes,
  countCalls: () => 0n,
};

/** A control file in a folder of its own. */
function controlFile(text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-'));
  const file = path.join(folder, 'rollout');
  if (text !== undefined) fs.writeFileSync(file, text);
  return file;
}

/** Binds the baseline under a control file with these lines, ready. */
async function rollout(file, variables = {}) {
  const set = { TIERUP_ROLLOUT: file, ...variables };
  Object.assign(process.env, set);
  const c = bind({ tier: '0', baseline: OWN });
  await c.ready();
  for (const name of Object.keys(set)) delete process.env[name];
  return c;
}

/** A test of one control file. `said` gets the warnings that are printed meanwhile. */
function test(name, lines, body, variables) {
  it(name, { timeout: 120_000 }, async (t) => {
    const file = controlFile(lines);
    const said = [];
    t.mock.method(console, 'warn', (line) => said.push(line));
    const c = await rollout(file, variables);
    try {
      // On a busy machine it may take longer than `ready()` waits.
      await eventually(() => evidence(file).counts.length, 1);
      await body(c, file, said);
    } finally {
      await c.close();
      fs.rmSync(path.dirname(file), { recursive: true });
    }
    await eventually(programs, []);
  });
}

/** The evidence of a control file: the counts, and the differences. */
function evidence(file) {
  const folder = `${file}.evidence`;
  const names = (fs.existsSync(folder) ? fs.readdirSync(folder) : []).filter((name) => name.endsWith('.jsonl'));
  // A file that was just made is empty.
  const texts = names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8').trim()).filter((text) => text !== '');
  const found = texts.map((text) => {
    const [counts, ...differences] = text.split('\n').map(JSON.parse);
    return { counts, differences };
  });
  return { counts: found.map(({ counts }) => counts), differences: found.flatMap(({ differences }) => differences) };
}

/** Waits until so many calls are compared, which may take long: comparing has the lowest priority. */
const compared = (file, count) => eventually(() => evidence(file).counts.map((counts) => counts.compared), [count]);

const SHADOW = 'candidate=3:native\nshadow=1\nkeep=values\n';
const SHARE = 'candidate=3:native\nshare=1\n';

test('what differs is found, and nothing else', SHADOW, async (c, file) => {
  for (const text of ['a', '', 'ä\n']) {
    assert.equal(await c.echoText(text), text);
    assert.equal(c.echoTextSync(text), text);
  }
  assert.equal(await c.echoText('😀'), ':-)');
  // The candidate panics in the first call.
  assert.equal(await c.panicIf(true, 'x'), 'X');
  assert.equal(await c.panicIf(false, 'x'), 'X');
  // Errors with different messages are alike. The caller gets the server's own error.
  await assert.rejects(c.fail('it'), (error) => error.constructor === RangeError && error.message === 'own words for it');
  // The control changes its arguments. The candidate gets them unchanged.
  const texts = ['a', 'b'];
  assert.deepEqual(await c.echoTexts(texts), ['a', 'b']);
  assert.deepEqual(texts, []);
  // Neither call is sampled: `countCalls` is not pure, and `echoText` has no second argument.
  assert.equal(await c.countCalls(), 0n);
  assert.equal(await c.echoText('a', 'b'), 'a');
  // Nor are these calls: Rust would refuse the number, and the bytes are too large.
  assert.equal(await c.echoText(7), 7);
  assert.equal((await c.echoBytes(Buffer.alloc(65_533))).length, 65_533);
  assert.equal((await c.echoBytes(Buffer.alloc(1 << 20))).length, 1 << 20);
  await compared(file, 11);
  const large = 'x'.repeat(60_000);
  assert.equal(await c.echoText(large), large);
  await compared(file, 12);
  await c.close();
  const { counts, differences } = evidence(file);
  assert.equal(counts.length, 1);
  const { host, abi, ...numbers } = counts[0];
  assert.deepEqual(numbers, { compared: 12, alike: 10, different: 2, panics: 1, timeouts: 0, deaths: 0, dropped: 0 });
  const { calls, sampled, too_large: tooLarge, refused, dropped, refusal } = host;
  assert.deepEqual([calls, sampled, tooLarge, refused, dropped], [15, 15, 2, 1, 0]);
  assert.equal(refusal, 'echoText: text: expected a string, got 7');
  assert.deepEqual(differences.map(({ control }) => Buffer.from(control, 'base64').subarray(5).toString()), [':-)', 'X']);
});

const soon = () => Math.ceil(Date.now() / 1000) + 100;

test('a file that its judge renews no more is over, and one that it renews stays in force', 'candidate=3:native\nshare=1\nuntil=4102444800\n', async (c, file, said) => {
  const shared = () => evidence(file).counts.map(({ host }) => host.shared);
  assert.equal(await c.echoText('😀'), '😀');
  await eventually(shared, [1]);
  fs.writeFileSync(file, `candidate=3:native\nshare=1\nuntil=${soon()}\n`);
  await sleep(1500);
  assert.equal(await c.echoText('😀'), '😀');
  fs.writeFileSync(file, 'candidate=3:native\nshare=1\nuntil=1\n');
  await eventually(() => said.length, 2);
  assert.match(said[1], /its judge has not renewed it/);
  assert.equal(await c.echoText('😀'), ':-)');
  assert.deepEqual(shared(), [2]);
});

test('no value is written unless the control file asks for it', 'candidate=3:native\nshadow=1\n', async (c, file) => {
  assert.equal(await c.echoText('😀'), ':-)');
  assert.equal(await c.echoText(7), 7);
  await compared(file, 1);
  await c.close();
  const { counts, differences } = evidence(file);
  const [{ compared: one, different, host }] = counts;
  assert.deepEqual([one, different, host.refused, host.refusal], [1, 1, 1, 'echoText']);
  assert.deepEqual(differences, []);
});

test('a value that was kept is forgotten with `keep=values`', SHADOW, async (c, file) => {
  const refusal = () => evidence(file).counts.map(({ host }) => host.refusal);
  assert.equal(await c.echoText(7), 7);
  await eventually(refusal, ['echoText: text: expected a string, got 7']);
  fs.writeFileSync(file, SHADOW.replace('keep=values\n', ''));
  await eventually(refusal, ['echoText']);
});

test('calls that hang, overflow the stack or take too much are found beside the server', SHADOW, async (c, file) => {
  assert.equal(await c.hangOn('really'), 6);
  assert.equal(await c.hangOn('deeply'), 6);
  assert.equal(await c.hangOn('fine'), 4);
  assert.equal((await c.makeBytes(1 << 20)).length, 100);
  await compared(file, 4);
  await c.close();
  const { alike, different, timeouts, deaths } = evidence(file).counts[0];
  assert.deepEqual([alike, different, timeouts, deaths], [1, 3, 1, 1]);
}, { TIERUP_CALL_TIMEOUT: '3' });

test('10,000 panics: the control answers every call', SHARE, async (c, file, said) => {
  for (let number = 0; number < 5000; number += 1) {
    assert.equal(await c.panicIf(true, `x${number}`), `X${number}`);
    assert.equal(c.panicIfSync(true, 'x'), 'X');
    // The candidate is still called, as no more than half of its calls panic.
    for (let good = 0; good < 2; good += 1) assert.equal(c.panicIfSync(false, 'x'), 'X');
  }
  assert.equal(await c.echoText('😀'), '😀', 'the candidate answers');
  await assert.rejects(c.fail('it'), RangeError);
  assert.equal(await c.echoText(7), 7);
  await c.close();
  const { shared, panics, errors, refused } = evidence(file).counts[0].host;
  assert.deepEqual([shared, panics, errors, refused], [20_003, 10_000, 1, 1]);
  assert.equal(said.filter((line) => line.includes('failed')).length, 0);
});

test('a candidate that fails in more than half of its calls gets no more of them', SHARE, async (c, file, said) => {
  for (let number = 0; number < 1000; number += 1) assert.equal(await c.panicIf(true, 'x'), 'X');
  assert.equal(await c.echoText('😀'), ':-)', 'the control answers');
  assert.match(said.at(-1), /100 of 100 calls failed at 3:native, so the control answers until the control file changes/);
  fs.writeFileSync(file, `${SHARE}generation=2\n`);
  await eventually(() => c.echoTextSync('😀'), '😀');
});

test('the control answers what a candidate in a process of its own does not', 'candidate=1:pool\nshare=1\nshadow=1\nkeep=values\n', async (c, file) => {
  assert.equal(await c.hangOn('really'), 6);
  assert.equal(await c.hangOn('deeply'), 6);
  assert.equal(await c.hangOn('changed'), 7, 'the candidate answers');
  // The candidate cannot answer synchronous calls: the control answers, and is compared.
  assert.equal(c.hangOnSync('changed'), 0);
  await compared(file, 1);
  await c.close();
  const [{ different, host }] = evidence(file).counts;
  assert.deepEqual([different, host.candidate, host.shared, host.timeouts, host.lost, host.sampled], [1, '1:pool', 3, 1, 1, 1]);
}, { TIERUP_CALL_TIMEOUT: '3', TIERUP_WORKERS: '1' });

test('a part is answered by the candidate, by input', 'candidate=3:native\nshare=0.5\nby=input\nkey=secret\n', async (c) => {
  const sides = new Map();
  // The control returns its argument itself, and the candidate a copy.
  for (let round = 0; round < 2; round += 1) {
    for (let number = 0; number < 400; number += 1) {
      const given = Buffer.from(String(number));
      const isCandidate = c.echoBytesSync(given) !== given;
      assert.equal(sides.get(number) ?? isCandidate, isCandidate);
      sides.set(number, isCandidate);
    }
  }
  const count = [...sides.values()].filter(Boolean).length;
  assert.ok(count > 140 && count < 260, String(count));
});

it('a file that is missing, cut or wrong means the control, which is said once', { timeout: 120_000 }, async (t) => {
  const lines = `${SHARE}generation=7\n`;
  const whole = `${lines}checksum=${createHash('sha256').update(lines).digest('hex').slice(0, 16)}\n`;
  const file = controlFile();
  const said = [];
  t.mock.method(console, 'warn', (line) => said.push(line));
  const c = await rollout(file);
  const isShared = () => c.echoTextSync('😀') === '😀';
  /** Replaces the control file by this text. Returns whether the candidate answers then, and the reasons that were printed. */
  const found = async (text) => {
    fs.writeFileSync(`${file}.part`, text);
    fs.renameSync(`${file}.part`, file);
    said.length = 0;
    await sleep(2500);
    return [isShared(), ...said.map((line) => line.replace(/^.*control answers every call: /, ''))];
  };
  try {
    assert.equal(isShared(), false);
    assert.match(said[0], /^conformance: TIERUP_ROLLOUT: .*rollout is not obeyed, so the control answers every call: ENOENT/);
    assert.equal((await found(whole))[0], true);
    assert.deepEqual(await found(whole.slice(0, -9)), [false, 'its last line has no end: it may be cut']);
    assert.deepEqual(await found(whole.replace('share=1', 'share=0.9')), [false, 'its checksum does not fit the lines above it']);
    assert.deepEqual(await found(SHARE.replace('1', '1.5')), [false, '`share` must be a number from 0 to 1, such as 0.01, got "1.5"']);
    assert.deepEqual(await found('candidate=0:tuned\nshare=1\n'), [false, '`candidate` must be a variant in Rust, such as 3:native, got "0:tuned"']);
    assert.deepEqual(await found(whole), [true]);
    fs.rmSync(file);
    fs.mkdirSync(file);
    said.length = 0;
    await sleep(2500);
    assert.deepEqual([isShared(), said.length], [false, 1]);
  } finally {
    await c.close();
    fs.rmSync(path.dirname(file), { recursive: true });
  }
});

test('killed companions and processes that compare change nothing for callers', SHADOW, async (c, file) => {
  for (let round = 0; round < 10; round += 1) {
    for (const pid of programs()) process.kill(pid, round % 2 === 0 ? 'SIGKILL' : 'SIGSTOP');
    for (let number = 0; number < 50; number += 1) assert.equal(await c.echoText('a'), 'a');
    const large = Buffer.alloc(60_000);
    for (let number = 0; number < 50; number += 1) assert.equal(await c.echoBytes(large), large);
    await sleep(300);
    for (const pid of programs()) process.kill(pid, 'SIGCONT');
  }
  // A new companion reports the calls that were counted before it started, too.
  await eventually(() => evidence(file).counts.some(({ host, ...counts }) => counts.compared > 0 && host.calls >= 1000) || void c.echoTextSync('a'), true);
});

/** Runs code with the package in a process of its own. Returns its output, and how it ended. */
function run(file, code, options = {}) {
  const own = `const c = require('conformance').with({ tier: '0', baseline: { echoText: (text) => text, hangOn: (word) => word.length } });\n`;
  const env = { ...process.env, TIERUP_ROLLOUT: file };
  return spawnSync(process.execPath, ['-e', own + code], { env, encoding: 'utf8', cwd: __dirname, timeout: 60_000, ...options });
}

it('a process ends when it has nothing to do, and its evidence is there', { timeout: 120_000 }, async () => {
  const file = controlFile(SHADOW);
  const began = performance.now();
  const { stdout, status } = run(file, `c.ready().then(() => { for (let n = 0; n < 10; n += 1) c.echoTextSync('a'); console.log('over'); });`);
  assert.deepEqual([stdout, status], ['over\n', 0]);
  assert.ok(performance.now() - began < 30_000);
  await eventually(() => evidence(file).counts.map((counts) => [counts.compared + counts.dropped, counts.host.calls]), [[10, 10]]);
  fs.rmSync(path.dirname(file), { recursive: true });
});

it('after two deaths in a call of the candidate, processes start at the control', { timeout: 120_000 }, () => {
  const file = controlFile(SHARE);
  const die = `c.ready().then(() => { console.log(c.hangOnSync('deeply')); });`;
  for (let round = 0; round < 2; round += 1) assert.ok(run(file, die).signal);
  // A process that is killed between two calls does not count against the candidate.
  run(file, `c.ready().then(() => { c.echoTextSync('a'); process.kill(process.pid, 'SIGKILL'); });`);
  const third = run(file, die);
  assert.deepEqual([third.stdout, third.status], ['6\n', 0]);
  assert.match(third.stderr, /2 processes died in a call of 3:native .*, so the control answers until `generation` is another one/);
  fs.writeFileSync(file, `${SHARE}generation=2\n`);
  assert.ok(run(file, die).signal);
  fs.rmSync(path.dirname(file), { recursive: true });
});

it('a folder that cannot be written in changes nothing for callers', { timeout: 120_000 }, () => {
  const file = controlFile(`${SHARE}shadow=1\n`);
  // A file stands where the folder for the evidence would be.
  fs.writeFileSync(`${file}.evidence`, '');
  const { stdout, stderr } = run(file, `c.ready().then(async () => { console.log(c.echoTextSync('a'), await c.hangOn('deeply')); await c.close(); });`);
  assert.equal(stdout, 'a 6\n');
  assert.match(stderr, /the control answers, as nobody would learn that a call of 3:native ended the process/);
  assert.match(stderr, /the evidence of a shadow is incomplete/);
  fs.rmSync(path.dirname(file), { recursive: true });
});

it('a full disk changes nothing for callers', { timeout: 120_000, skip: process.getuid() !== 0 && 'only root can mount' }, (t) => {
  const file = controlFile(SHADOW);
  const folder = `${file}.evidence`;
  fs.mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'none', folder]);
  } catch {
    return t.skip('no file system can be mounted here');
  }
  const code = `c.ready().then(async () => {
    for (let n = 0; n < 200; n += 1) if (c.hangOnSync('deep') !== 4) throw new Error('wrong');
    await c.close();
    console.log('over');
  });`;
  const { stdout, stderr } = run(file, code);
  execFileSync('umount', [folder]);
  assert.equal(stdout, 'over\n', stderr);
  fs.rmSync(path.dirname(file), { recursive: true });
});

'use strict';
// `0:memo`: which answers are kept, for how long, and that callers cannot change them.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const package_ = require(process.env.PACKAGE);

/** The package at `0:memo` around these functions, with these variables while it is bound. */
function memo(baseline, environment = {}) {
  Object.assign(process.env, environment);
  try {
    return package_.with({ baseline, tier: '0:memo' });
  } finally {
    Object.keys(environment).forEach((name) => delete process.env[name]);
  }
}

/** A function that counts its calls. */
function counted(answer) {
  const one = (...args) => {
    one.calls += 1;
    return answer(...args);
  };
  one.calls = 0;
  return one;
}

test('a call that was made before is answered from memory, whatever its arguments are', async () => {
  const echoText = counted((text) => `<${text}>`);
  const join = counted((parts, separator) => parts.join(separator));
  const bound = memo({ echoText, join });
  assert.equal(bound.tier, '0:memo');
  for (let round = 0; round < 3; round += 1) {
    assert.equal(await bound.echoText('a'), '<a>');
    assert.equal(bound.echoTextSync('b'), '<b>');
    assert.equal(await bound.join(['a', 'b'], 'c'), 'acb');
    assert.equal(await bound.join(['a'], 'b'), 'a');
  }
  assert.deepEqual([echoText.calls, join.calls], [2, 2]);
});

test('functions do not share answers', async () => {
  const bound = memo({ echoText: () => 'one', printAndReturn: () => 'other' });
  assert.deepEqual([await bound.echoText('a'), await bound.printAndReturn('a')], ['one', 'other']);
  assert.deepEqual([await bound.echoText('a'), await bound.printAndReturn('a')], ['one', 'other']);
});

test('no caller, and not the function itself, changes what others get', async () => {
  const reused = Buffer.from('abc');
  const bound = memo({
    echoBytes: () => reused,
    echoTexts: (texts) => texts,
    echoChunks: async () => [Uint8Array.of(1)],
  });
  const given = ['x'];
  for (let round = 0; round < 3; round += 1) {
    const bytes = await bound.echoBytes(Buffer.from('q'));
    assert.ok(Buffer.isBuffer(bytes));
    assert.equal(bytes.toString(), 'abc');
    bytes.fill(0);
    const texts = await bound.echoTexts(['x']);
    assert.deepEqual(texts, ['x']);
    texts.push('y');
    const [chunks, same] = await Promise.all([bound.echoChunks([]), bound.echoChunks([])]);
    assert.deepEqual(chunks, [Uint8Array.of(1)]);
    assert.deepEqual(same, chunks);
    chunks[0][0] = 7;
    assert.equal(same[0][0], 1);
  }
  assert.deepEqual(given, ['x']);
});

test('an error is not kept', async () => {
  let left = 2;
  const echoText = counted((text) => {
    left -= 1;
    if (left >= 0) throw new Error(`no ${left}`);
    return text;
  });
  const bound = memo({ echoText });
  await assert.rejects(bound.echoText('a'), /no 1/);
  assert.throws(() => bound.echoTextSync('a'), /no 0/);
  assert.equal(await bound.echoText('a'), 'a');
  assert.equal(await bound.echoText('a'), 'a');
  assert.equal(echoText.calls, 3);
});

test('calls that come while the same call is under way wait for it; each has its own error', async () => {
  const ends = [];
  const echoText = counted(() => new Promise((resolve, reject) => ends.push({ resolve, reject })));
  const bound = memo({ echoText });
  const calls = [bound.echoText('a'), bound.echoText('a'), bound.echoText('a')];
  await null;
  assert.equal(echoText.calls, 1);
  ends[0].resolve('done');
  assert.deepEqual(await Promise.all(calls), ['done', 'done', 'done']);
  assert.equal(await bound.echoText('a'), 'done');
  assert.equal(echoText.calls, 1);
  assert.throws(() => bound.echoTextSync('a'), /asynchronous/);

  const failing = [bound.echoText('b'), bound.echoText('b')];
  await null;
  ends.at(-1).reject(new Error('first'));
  await assert.rejects(failing[0], /first/);
  while (echoText.calls < 4) await new Promise((resolve) => setImmediate(resolve));
  ends.at(-1).resolve('second');
  assert.equal(await failing[1], 'second');
});

test('what does not fit the signature, or cannot be copied, goes to the function each time', async () => {
  class Odd {}
  const echoText = counted(() => new Odd());
  const bound = memo({ echoText });
  for (let round = 0; round < 2; round += 1) {
    assert.ok((await bound.echoText('a')) instanceof Odd);
    assert.ok((await bound.echoText({})) instanceof Odd);
    assert.ok((await bound.echoText('a', 'more')) instanceof Odd);
  }
  assert.equal(echoText.calls, 6);
  const circular = [];
  circular.push(circular);
  const extra = Object.assign(['a'], { index: 1 });
  const accessor = { get value() { return 1; } };
  const throwing = new Proxy({}, { ownKeys() { throw new Error('not to be looked at'); } });
  for (const answer of [circular, extra, accessor, () => {}, new Date(0), [Symbol('a')], throwing]) {
    const one = counted(() => answer);
    const of = memo({ echoText: one });
    assert.equal(await of.echoText('a'), answer);
    assert.equal(await of.echoText('a'), answer);
    assert.equal(one.calls, 2);
  }
});

test('there are at most so many answers, of at most so many bytes; the one asked for longest ago goes', async () => {
  const echoText = counted((text) => text);
  const few = memo({ echoText }, { TIERUP_MEMO_ENTRIES: '2' });
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(few.echoTextSync(text), text);
  assert.equal(echoText.calls, 4);

  const echoBytes = counted((bytes) => bytes);
  const small = memo({ echoBytes }, { TIERUP_MEMO_BYTES: '5000' });
  const [one, other, large] = [Buffer.alloc(1000, 1), Buffer.alloc(1000, 2), Buffer.alloc(4000)];
  for (const bytes of [one, large, one, large]) assert.deepEqual(small.echoBytesSync(bytes), bytes);
  assert.equal(echoBytes.calls, 3);
  for (const bytes of [other, one]) small.echoBytesSync(bytes);
  assert.equal(echoBytes.calls, 5);
  assert.throws(() => memo({ echoText }, { TIERUP_MEMO_ENTRIES: '0' }), /TIERUP_MEMO_ENTRIES must be a whole number/);
});

test('the counts are written where they are asked for, and nothing is if that cannot be', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-'));
  const bound = memo({ echoText: (text) => text }, { TIERUP_MEMO_COUNTS: folder });
  bound.echoTextSync('a');
  const end = Date.now() + 200;
  while (Date.now() < end) bound.echoTextSync('a');
  const [name, ...others] = fs.readdirSync(folder);
  assert.deepEqual(others, []);
  const [calls, hits, entries, bytes] = fs.readFileSync(path.join(folder, name), 'utf8').trim().split(' ').map(Number);
  assert.ok(calls > 1 && hits === calls - 1 && entries === 1 && bytes > 200, `${[calls, hits, entries, bytes]}`);
  fs.rmSync(folder, { recursive: true });
  const lost = memo({ echoText: (text) => text }, { TIERUP_MEMO_COUNTS: path.join(folder, 'no') });
  assert.equal(lost.echoTextSync('a'), 'a');
});

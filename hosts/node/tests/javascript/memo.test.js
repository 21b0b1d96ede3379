'use strict';
// `0:memo` as JavaScript sees it: synchronous and asynchronous calls, copies of answers. What all languages promise is in
// `crates/tierup/tests/conformance/memo.rs`.

const assert = require('node:assert/strict');
const { test } = require('node:test');

const package_ = require(process.env.PACKAGE);

/** The package at `0:memo` around these functions. */
const memo = (baseline) => package_.with({ baseline, tier: '0:memo' });

/** A function that counts its calls. */
function counted(answer) {
  const one = (...args) => {
    one.calls += 1;
    return answer(...args);
  };
  one.calls = 0;
  return one;
}

test('synchronous calls have the answers of others, and no errors', async () => {
  const echoText = counted((text) => {
    if (echoText.calls === 1) throw new Error('not now');
    return text;
  });
  const bound = memo({ echoText });
  assert.throws(() => bound.echoTextSync('a'), /not now/);
  assert.equal(bound.echoTextSync('a'), 'a');
  assert.equal(await bound.echoText('a'), 'a');
  assert.equal(bound.echoTextSync('a'), 'a');
  assert.equal(echoText.calls, 2);
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

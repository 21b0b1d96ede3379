'use strict';
// Values as a user of JavaScript writes and meets them.

const { it, after } = require('node:test');
const assert = require('node:assert/strict');
const { eachVariant } = require('./each.js');

eachVariant('values', (bind, name) => {
  const c = bind();
  after(() => c.close());

  it('64-bit integers are BigInts, and safe numbers are taken', async () => {
    assert.equal(await c.echoU64(2n ** 64n - 1n), 2n ** 64n - 1n);
    assert.equal(await c.echoI64(-(2n ** 63n)), -(2n ** 63n));
    assert.equal(await c.echoU64(5), 5n);
    assert.equal(await c.echoUsize(2n ** 32n - 1n), 2n ** 32n - 1n);
    // A usize of Wasm has 32 bits.
    if (name.startsWith('2:')) await assert.rejects(c.echoUsize(2n ** 32n), RangeError);
    else assert.equal(await c.echoUsize(2n ** 64n - 1n), 2n ** 64n - 1n);
    await assert.rejects(c.echoU64(2n ** 64n), RangeError);
    await assert.rejects(c.echoU64(-1n), RangeError);
    await assert.rejects(c.echoU64(1.5), (error) => error instanceof TypeError || error instanceof RangeError);
    await assert.rejects(c.echoI8(128), RangeError);
    await assert.rejects(c.echoU8('1'), TypeError);
  });

  it('floats keep NaN, -0 and infinities', async () => {
    assert.ok(Number.isNaN(await c.echoF64(NaN)));
    assert.ok(Object.is(await c.echoF64(-0), -0));
    assert.equal(await c.isNegativeZero(-0), true);
    assert.equal(await c.isNegativeZero(0), false);
    assert.equal(await c.echoF32(-Infinity), -Infinity);
    assert.equal(await c.echoF64(Number.MIN_VALUE), Number.MIN_VALUE);
    assert.equal(await c.echoF32(0.1), Math.fround(0.1));
  });

  it('text arrives to the byte, and ill-formed text is refused', async () => {
    for (const text of ['', 'a', 'ä€😀', '\0 in the middle \0', '\ufeffbom', 'e\u0301', '𝕏'.repeat(1000), '\r\n']) {
      assert.equal(await c.echoText(text), text);
      assert.equal(await c.utf8Length(text), Buffer.byteLength(text));
    }
    for (const text of ['\ud800', 'a\udfff', '\udc00\ud800']) await assert.rejects(c.echoText(text), TypeError);
    await assert.rejects(c.echoText(undefined), TypeError);
    await assert.rejects(c.echoText(), TypeError);
  });

  it('bytes are bytes, from any view', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const out = await c.echoBytes(bytes);
    assert.ok(out instanceof Uint8Array);
    assert.deepEqual(Buffer.from(out), Buffer.from(bytes));
    assert.deepEqual(Buffer.from(await c.echoBytes(Buffer.from('abcdef').subarray(2, 4))), Buffer.from('cd'));
    assert.equal((await c.echoBytes(new Uint8Array(0))).length, 0);
    await assert.rejects(c.echoBytes([1, 2, 3]), TypeError);
    await assert.rejects(c.echoBytes('abc'), TypeError);
  });

  it('an answer stays as it was when the next call comes', async () => {
    const first = await c.echoBytes(Buffer.from('first'));
    const second = await c.echoBytes(Buffer.from('other'));
    first[0] = 0x46;
    assert.equal(Buffer.from(first).toString(), 'First');
    assert.equal(Buffer.from(second).toString(), 'other');
    assert.equal(Buffer.from(await c.echoBytes(Buffer.from('third'))).toString(), 'third');
    assert.equal(Buffer.from(first).toString(), 'First');
  });

  it('records, enums, maps and what may be absent', async () => {
    assert.deepEqual({ ...(await c.echoPoint({ x: 1.5, y: -0 })) }, { x: 1.5, y: -0 });
    assert.equal(await c.echoColor('DarkBlue'), 'DarkBlue');
    await assert.rejects(c.echoColor('Pink'), (error) => error instanceof TypeError || error instanceof RangeError);
    const shapes = [
      { type: 'Empty' },
      { type: 'Circle', value: 2 },
      { type: 'Line', value: [{ x: 0, y: 0 }, { x: 1, y: 1 }] },
      { type: 'Polygon', value: { corners: [], fillColor: null } },
      { type: 'Polygon', value: { corners: [{ x: 1, y: 2 }], fillColor: 'Red' } },
    ];
    assert.deepEqual(plain(await c.echoShapes(shapes)), shapes);
    const map = await c.echoMap({ b: 1, a: 2, ä: 3, '': 4, __proto__x: 5 });
    assert.equal(JSON.stringify(map), '{"":4,"__proto__x":5,"a":2,"b":1,"ä":3}');
    const hostile = await c.echoMap(new Map([['__proto__', 1], ['b', 2], ['10', 3], ['9', 4]]));
    assert.equal(Object.getPrototypeOf(hostile), null);
    // JavaScript puts keys that could be array indices first.
    assert.equal(JSON.stringify(hostile), '{"9":4,"10":3,"__proto__":1,"b":2}');
    assert.equal(hostile.constructor, undefined);
    assert.equal(await c.echoOption(null), null);
    assert.equal(await c.echoOption(undefined), null);
    assert.equal(await c.echoOption(7n), 7n);
    assert.equal(await c.echoOptionText('x'), 'x');
    assert.equal(await c.join(['a', 'b', 'c'], '-'), 'a-b-c');
    assert.equal(await c.longest(['a', '🦀', 'bc']), '🦀');
    assert.equal(await c.longest([]), null);
    assert.deepEqual(await c.echoOptionalTexts(['a', null, undefined, '']), ['a', null, null, '']);
    assert.deepEqual([...(await c.echoU64s([1n, 2n ** 64n - 1n]))], [1n, 2n ** 64n - 1n]);
  });

  it('names that mean something elsewhere', async () => {
    const keywords = { type: 't', class: 1, func: true, lambda: -1, constructor: 2, default: null };
    assert.deepEqual(plain(await c.echoKeywords(keywords)), keywords);
    const reserved = { type: 'Type', value: { type: 1, value: 2 } };
    assert.deepEqual(plain(await c.echoReserved(reserved)), reserved);
    assert.deepEqual(plain(await c.echoReserved({ type: 'None' })), { type: 'None' });
    assert.equal(await c.class('a', 'b', 'c'), 'abc');
    assert.equal(await c.delete(1, 2, 4), 7);
    assert.equal(await c.type(9), 9);
    assert.equal(await c.get_url(1), 'url 1');
    assert.equal(await c.get_URL(1), 'URL 1');
    assert.equal(await c.getUrl(1), 'Url 1');
  });
});

/** Deep copy into plain objects, whatever prototype they had. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

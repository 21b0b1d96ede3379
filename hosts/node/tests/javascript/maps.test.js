'use strict';
// Maps in answers are the same objects at every tier, including tier 0.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const package_ = require(process.env.PACKAGE);
const maps = require(path.join(process.env.PACKAGE, 'lib/maps.js'));

const VALUES = [
  ['a Map', new Map([['b', 1], ['a', 2]])],
  ['an object', { b: 1, a: 2 }],
];

for (const [what, given] of VALUES) {
  test(`a baseline may answer ${what}`, async () => {
    const bound = package_.with({ tier: '0', baseline: { echoMap: () => given, echoSortedMap: async () => given } });
    for (const answer of [bound.echoMapSync({}), await bound.echoMap({}), await bound.echoSortedMap({})]) {
      assert.equal(Object.getPrototypeOf(answer), null);
      assert.equal(JSON.stringify(answer), '{"a":2,"b":1}');
    }
    assert.deepEqual([...Object.keys(given instanceof Map ? Object.fromEntries(given) : given)], ['b', 'a']);
  });
}

test('maps within records, lists and cases', () => {
  const { cases, list, map, optional, record, tuple } = maps;
  const convert = record([
    ['lists', list(map())],
    ['nested', map(map())],
    ['may', optional(map())],
    ['shape', cases([['One', map()], ['Two', tuple([[1, map()]])]])],
  ]);
  const given = {
    lists: [new Map([['k', 1]])],
    nested: new Map([['x', { y: 1 }]]),
    may: null,
    shape: { type: 'Two', value: [1, new Map([['😀', 1], ['\uffff', 2]])] },
    other: new Map(),
  };
  const answer = convert(given);
  const text = '{"lists":[{"k":1}],"nested":{"x":{"y":1}},"may":null,"shape":{"type":"Two","value":[1,{"\uffff":2,"😀":1}]},"other":{}}';
  assert.equal(JSON.stringify(answer), text);
  assert.ok(given.lists[0] instanceof Map && given.shape.value[1] instanceof Map, 'what the baseline may keep stays as it was');
  assert.ok(answer.other instanceof Map);
});

test('what the signature does not say stays as it is', () => {
  const strange = [null, undefined, 5, 'text', new Date(), [1], new Map([[1, 2]])];
  for (const value of strange) assert.equal(maps.map()(value), value);
  for (const value of strange) assert.equal(maps.record([['a', maps.map()]])(value), value);
  for (const value of [null, 5, { type: 'Other', value: 1 }]) assert.equal(maps.cases([['One', maps.map()]])(value), value);
  assert.deepEqual(maps.record([['a', maps.map()]])({ b: 1 }), { b: 1 });
});

test('hostile keys are keys', () => {
  const answer = maps.map()(new Map([['__proto__', 1], ['constructor', 2]]));
  assert.equal(JSON.stringify(answer), '{"__proto__":1,"constructor":2}');
  assert.equal(answer.toString, undefined);
});

test('recorded answers are replayed as they were, in another process too', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-'));
  process.env.TIERUP_RECORDING = folder;
  t.after(() => {
    delete process.env.TIERUP_RECORDING;
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const options = { tier: '0:free', baseline: { echoMap: () => new Map([['b', 1], ['a', 2]]) } };
  for (const bound of [package_.with(options), package_.with(options)]) {
    const answer = await bound.echoMap({ a: 1 });
    assert.equal(Object.getPrototypeOf(answer), null);
    assert.equal(JSON.stringify(answer), '{"a":2,"b":1}');
  }
});

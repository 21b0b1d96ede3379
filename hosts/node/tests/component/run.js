// Calls every function of the test's crate through the component, by the names given on the command line.
'use strict';

const assert = require('node:assert');
const path = require('node:path');
const test = require('node:test');
const { CallError, PanicError } = require('./.tierup/node/lib/errors');
const { load } = require('./.tierup/node/lib/variants/component');

const names = process.argv.slice(2);
let abi;
const variant = load({
  artifact: (name) => path.join(__dirname, '.tierup/node/artifacts', name),
  checkAbi: (given) => (abi = given),
  functions: names.map((name) => ({ name })),
});
const call = (name, ...args) => variant.callSync(names.indexOf(name), args);

/** A map in the form of an answer. */
const mapOf = (...entries) => Object.assign(Object.create(null), Object.fromEntries(entries));

const echoes = (name, ...values) => {
  for (const value of values) assert.deepStrictEqual(call(name, value), value);
};

const everything = {
  flag: true,
  i8: -128,
  i16: -32768,
  i32: -2147483648,
  i64: -(2n ** 63n),
  isize: -(2n ** 31n),
  u8: 255,
  u16: 65535,
  u32: 4294967295,
  u64: 2n ** 64n - 1n,
  usize: 2n ** 32n - 1n,
  f32: -0,
  f64: NaN,
  text: 'a\0ß€😀\u{10ffff}',
  bytes: Buffer.from([0, 255]),
  optional: null,
  list: [{ x: -0, y: Infinity }],
  map: mapOf(['', 1n], ['b', 2n], ['\uffff', 3n], ['😀', 4n]),
  color: 'DarkBlue',
  shape: { type: 'Empty' },
};

const lists = {
  flags: [true, false],
  i8s: [-128, 127],
  i16s: [-1],
  i32s: [-1],
  i64s: [-1n, 2n ** 63n - 1n],
  isizes: [-1n],
  u16s: [65535],
  u32s: [4294967295],
  u64s: [2n ** 64n - 1n],
  usizes: [7n],
  f32s: [0.5, NaN, -0],
  f64s: [0.1, NaN, -0, -Infinity],
  texts: ['', '😀'],
  bytes: [Buffer.alloc(0), Buffer.from('ab')],
  optional: [null, 0],
  nested: [[], [1, 2]],
  maps: [mapOf(), mapOf(['k', [{ type: 'Circle', value: 1.5 }]])],
  colors: ['Green', 'Red'],
};

test('values of every type', () => {
  assert.match(abi, /^[0-9a-f]{16}$/);
  echoes('echo_everything', everything, { ...everything, optional: '', list: [], map: mapOf(), bytes: Buffer.alloc(0) });
  echoes('echo_lists', lists, Object.fromEntries(Object.keys(lists).map((name) => [name, []])));
  echoes('echo_optional', null, 0);
  echoes('echo_nothing', {});
  echoes('echo_color', 'Red', 'Green', 'DarkBlue');
  const shapes = [
    { type: 'Empty' },
    { type: 'Circle', value: 2 },
    { type: 'Line', value: [{ x: 1, y: 2 }, { x: 3, y: 4 }] },
    { type: 'Polygon', value: { corners: [{ x: 1, y: 2 }], fillColor: 'Green' } },
    { type: 'Polygon', value: { corners: [], fillColor: null } },
    { type: 'Bytes', value: Buffer.from('bytes') },
    { type: 'Maybe', value: null },
    { type: 'Maybe', value: 5n },
  ];
  echoes('echo_shape', ...shapes);
  echoes('echo_shapes', shapes);
  echoes('echo_text', '', 'plain', '\ufeffwith a mark', 'a\0ß€😀\u{10ffff}', 'ß'.repeat(100000));
  assert.deepStrictEqual(call('echo_float', NaN, -0), [NaN, -0]);
});

test('other forms of what goes in', () => {
  const given = { ...everything, i64: -1, u64: 1, usize: 2, isize: -3, map: { b: 1, a: 2n }, optional: undefined };
  const answer = call('echo_everything', given);
  assert.deepStrictEqual([answer.i64, answer.u64, answer.usize, answer.isize], [-1n, 1n, 2n, -3n]);
  assert.deepStrictEqual(Object.entries(answer.map), [['a', 2n], ['b', 1n]]);
  assert.strictEqual(answer.optional, null);
  assert.deepStrictEqual(call('echo_bytes', new DataView(new Uint8Array([1, 2, 3]).buffer, 1)), Buffer.from([2, 3]));
});

test('large values', () => {
  const bytes = Buffer.alloc(1 << 20, 'tierup');
  for (let i = 0; i < 3; i += 1) assert.ok(call('echo_bytes', bytes).equals(bytes));
});

test('borrowed parameters and answers', () => {
  const lengths = call('lengths', ['a', 'ß'], new Map([['n', Buffer.alloc(3)]]), 'four');
  assert.deepStrictEqual(lengths, mapOf(['a', 1n], ['n', 3n], ['other', 4n], ['ß', 2n]));
  assert.deepStrictEqual(call('words', '2 a b c'), ['a', 'b']);
  assert.strictEqual(call('words', '0'), null);
  assert.throws(() => call('words', 'x'), new CallError('invalid digit found in string'));
  const many = call('many', 1, 'b', 3n, 0.5, Buffer.from([5]), null, { x: 1, y: 2 }, [8n], -9, true);
  assert.strictEqual(many, '1 b 3 0.5 [5] None Point { x: 1.0, y: 2.0 } [8] -9 true');
});

test('errors', () => {
  assert.deepStrictEqual(call('generate', 'abc'), Buffer.concat([Buffer.from([3]), Buffer.alloc(399, 7)]));
  assert.throws(() => call('generate', ''), new CallError('failed: no text'));
  assert.strictEqual(call('check', 3), undefined);
  assert.throws(() => call('check', 4), new CallError('4 is more than 3'));
  assert.strictEqual(call('nothing'), undefined);
});

test('panics and traps, then further calls', () => {
  for (let i = 0; i < 20; i += 1) {
    assert.throws(() => call('boom', `boom ${i} 😀`), (error) => {
      assert.ok(error instanceof PanicError);
      assert.match(error.message, new RegExp(`^boom ${i} 😀, at .*lib\\.rs:\\d+:\\d+$`, 'u'));
      return true;
    });
    assert.throws(() => call('deep', 0), PanicError);
    assert.strictEqual(call('echo_text', 'well'), 'well');
  }
});

test('arguments that are not what the signature says', () => {
  const refused = (name, args, ErrorClass, message) => {
    assert.throws(() => call(name, ...args), (error) => {
      assert.strictEqual(error.constructor, ErrorClass);
      assert.strictEqual(error.message, message);
      return true;
    });
  };
  refused('echo_text', [5], TypeError, 'text: expected a string, got 5');
  refused('echo_text', ['\ud800'], TypeError, 'text: expected well-formed text, got a lone surrogate');
  refused('check', [-1], RangeError, 'limit: expected a whole number from 0 to 4294967295, got -1');
  refused('check', [], TypeError, 'limit: expected a whole number from 0 to 4294967295, got undefined');
  refused('echo_lists', [{ ...lists, f64s: [1, '2'] }], TypeError, 'value.f64s[1]: expected a number, got "2"');
  refused('echo_everything', [{ ...everything, usize: 2n ** 32n }], RangeError, 'echo_everything: a size does not fit this machine');
  refused('echo_color', ['Blue'], TypeError, 'value: expected "Red", "Green" or "DarkBlue", got "Blue"');
  refused('guest', [null], TypeError, 'guest: expected an object, got null');
  refused('list', [['B']], TypeError, 'list[0]: expected "A" or "a", got "B"');
  const words = '"Empty", "Circle", "Line", "Polygon", "Bytes" or "Maybe"';
  refused('echo_shape', [{ type: 'X' }], TypeError, `value.type: expected ${words}, got "X"`);
  refused('echo_shape', [{ type: 'Line', value: [{ x: 1, y: 2 }] }], TypeError, 'value.value: expected an array of 2, got an array');
  const open = { type: 'Polygon', value: { corners: [{ x: 1 }] } };
  refused('echo_shape', [open], TypeError, 'value.value.corners[0].y: expected a number, got undefined');
});

test('names', () => {
  const guest = {
    type: 't', class: 1, gen: true, _x: 1, x: 2, X: 3, x__y: 4, a_1: 5, a1: 6, größe: 7, constructor: 8, self: 9, value: 10,
    result: 11,
  };
  const answer = call('guest', Object.assign(Object.create({ inherited: 1 }), guest, { xY: 4, a1: 6, self_: 9, _x: 1 }));
  assert.strictEqual(answer.type, 't');
  assert.strictEqual(answer.constructor, 8);
  const cases = ['None', 'Some', 'Self_', 'err'].map((type) => ({ type }));
  cases.push({ type: 'Ok', value: 1 }, { type: 'Err', value: { type: 2, value: 'v' } });
  echoes('from', ...cases);
  echoes('into', { from: cases[5], result: [{ list: 'a' }, { list: 'A' }] }, { from: null, result: [] });
  echoes('list', ['A', 'a']);
  for (const name of ['type', 'func', 'lambda', 'module1', 'undefined', 'arguments', 'functions', 'instantiate', 'A', 'gen']) echoes(name, 7);
  echoes('data_view', Buffer.from('view'));
  assert.strictEqual(call('class', 'a', 'b', 'c'), 'abc');
  assert.strictEqual(call('delete', 1, 2, 4), 7);
  assert.strictEqual(call('memory0', 1, 2), 3);
  assert.strictEqual(call('panicked', 'no'), 'no');
  assert.deepStrictEqual(['get_url', 'get_URL', 'getUrl'].map((name) => call(name, 1)), ['url 1', 'URL 1', 'Url 1']);
  assert.deepStrictEqual([call('a', 1), call('a1b2', 0)], [2, 12]);
});

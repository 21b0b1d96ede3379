'use strict';
// Every type: written values are read again, and other values are refused with their place.

const assert = require('node:assert/strict');
const path = require('node:path');
const { test } = require('node:test');

const { functions } = require(path.join(process.env.PACKAGE, 'lib/types.js'));
const { Reader, withWriter } = require(path.join(process.env.PACKAGE, 'lib/wire.js'));

const definitionOf = (name) => functions.find((definition) => definition.name === name);

function encode(name, ...args) {
  return withWriter((writer) => {
    definitionOf(name).writeArguments(writer, args);
    return Buffer.from(writer.written());
  });
}

function decode(name, bytes) {
  const reader = new Reader(bytes);
  const args = definitionOf(name).readArguments(reader);
  reader.finish();
  return args;
}

const crossed = (name, ...args) => decode(name, encode(name, ...args));

test('the layout is what the Rust side reads', () => {
  assert.equal(encode('echoText', 'ä').toString('hex'), '02000000c3a4');
  assert.equal(encode('echoI16', -2).toString('hex'), 'feff');
  assert.equal(encode('echoI64', -2).toString('hex'), 'feffffffffffffff');
  assert.equal(encode('echoU64', 2 ** 40).toString('hex'), '0000000000010000');
  assert.equal(encode('echoF32', NaN).toString('hex'), '0000c07f');
  assert.equal(encode('echoF64', -0).toString('hex'), '0000000000000080');
  assert.equal(encode('echoOption', null).toString('hex'), '00');
  assert.equal(encode('echoOption', 1).toString('hex'), '010100000000000000');
  assert.equal(encode('echoColor', 'DarkBlue').toString('hex'), '02');
  assert.equal(encode('echoShape', { type: 'Circle', value: 0 }).toString('hex'), '010000000000000000');
  assert.equal(encode('echoMap', { b: 1, a: 2 }).toString('hex'), '020000000100000061020000000100000062' + '01000000');
  assert.equal(encode('doNothing').toString('hex'), '');
});

test('keys are sorted by their UTF-8, not by their UTF-16', () => {
  const [map] = crossed('echoMap', new Map([['😀', 1], ['\uffff', 2], ['a', 3], ['\ue000', 4]]));
  assert.deepEqual(Object.keys(map), ['a', '\ue000', '\uffff', '😀']);
});

test('a map may be an object, whatever its keys are called', () => {
  const [map] = crossed('echoMap', JSON.parse('{"__proto__": 1, "constructor": 2}'));
  assert.equal(Object.getPrototypeOf(map), null);
  assert.deepEqual(Object.entries(map), [['__proto__', 1], ['constructor', 2]]);
  assert.equal(JSON.stringify(map), '{"__proto__":1,"constructor":2}');
  assert.deepEqual(Object.keys(crossed('echoMap', Object.create(null))[0]), []);
});

test('what may be absent may be left out', () => {
  const keywords = { type: '', class: 0, func: false, lambda: 0, constructor: 1 };
  assert.equal(crossed('echoKeywords', keywords)[0].default, null);
  assert.deepEqual(crossed('echoOption'), [null]);
});

test('any view of bytes will do', () => {
  const { buffer } = Uint8Array.from([1, 2, 3, 4]);
  const views = [new Uint8Array(buffer, 1, 2), new DataView(buffer, 1, 2), new Uint8ClampedArray(buffer, 1, 2)];
  for (const view of views) assert.deepEqual(crossed('echoBytes', view)[0], Buffer.from([2, 3]));
  const shared = new Uint8Array(new SharedArrayBuffer(4), 1, 2).fill(5);
  assert.deepEqual(crossed('echoBytes', shared)[0], Buffer.from([5, 5]));
  const [lent] = definitionOf('echoBytes').prepare([shared]);
  assert.ok(lent.buffer instanceof ArrayBuffer);
  assert.deepEqual(crossed('echoBytes', new Uint16Array([0x0201]))[0], Buffer.from([1, 2]));
});

test('long text and bytes', () => {
  for (const text of ['x'.repeat(5_000_000), 'ä€😀'.repeat(500_000)]) assert.equal(crossed('echoText', text)[0], text);
  const bytes = Buffer.alloc(16 << 20, 7);
  assert.ok(crossed('echoBytes', bytes)[0].equals(bytes));
});

test('a getter among the arguments may call in turn', () => {
  const point = {
    x: 1,
    get y() {
      return encode('echoText', 'inner').length;
    },
  };
  assert.deepEqual(crossed('echoPoint', point), [{ x: 1, y: 9 }]);
});

const point = { x: 0, y: 0 };
const detached = new Uint8Array(1);
structuredClone(detached, { transfer: [detached.buffer] });
const refused = [
  ['echoU8', [256], RangeError, 'value: expected a whole number from 0 to 255, got 256'],
  ['echoU8', [1.5], RangeError, 'value: expected a whole number from 0 to 255, got 1.5'],
  ['echoU8', ['1'], TypeError, 'value: expected a whole number from 0 to 255, got "1"'],
  ['echoI32', [1n], TypeError, 'value: expected a whole number from -2147483648 to 2147483647, got 1n'],
  ['echoU64', [-1], RangeError, 'value: expected a BigInt from 0 to 2^64 - 1 or a safe integer, got -1'],
  ['echoU64', [2 ** 53], RangeError, 'value: expected a BigInt from 0 to 2^64 - 1 or a safe integer, got 9007199254740992'],
  ['echoU64', [2n ** 64n], RangeError, 'value: expected a BigInt from 0 to 2^64 - 1, got 18446744073709551616n'],
  ['echoBool', [0], TypeError, 'value: expected a boolean, got 0'],
  ['echoText', [null], TypeError, 'text: expected a string, got null'],
  ['echoText', [], TypeError, 'text: expected a string, got undefined'],
  ['echoBytes', [detached], TypeError, 'bytes: expected bytes, got a detached buffer'],
  ['echoText', ['\ud800'], TypeError, 'text: expected well-formed text, got a lone surrogate'],
  ['echoBytes', [[1]], TypeError, 'bytes: expected a Buffer, Uint8Array or other view of bytes, got an array'],
  ['echoTexts', [['a', 1]], TypeError, 'values[1]: expected a string, got 1'],
  ['echoTexts', ['a'], TypeError, 'values: expected an array, got "a"'],
  ['echoU64s', [[1, , 2]], TypeError, 'values[1]: expected a BigInt from 0 to 2^64 - 1 or a safe integer, got undefined'],
  ['echoMap', [{ 'a b': '' }], TypeError, /^values\["a b"\]: expected a whole number/],
  ['echoMap', [new Map([[1, 1]])], TypeError, 'values: expected text as every key, got 1'],
  ['echoMap', [new Date()], TypeError, 'values: expected a Map or a plain object, got an object'],
  ['echoMap', [[]], TypeError, 'values: expected a Map or a plain object, got an array'],
  ['echoPoint', [{ x: 1 }], TypeError, 'point.y: expected a number, got undefined'],
  ['echoPoint', [undefined], TypeError, 'point: expected an object, got undefined'],
  ['echoKeywords', [{ type: '', class: 0, func: false, lambda: 0 }], TypeError, /^keywords.constructor: .*got undefined$/],
  ['echoColor', ['Pink'], TypeError, 'color: expected "Red", "Green" or "DarkBlue", got "Pink"'],
  ['echoShape', [{ type: 'Circle' }], TypeError, 'shape.value: expected a number, got undefined'],
  ['echoShape', [{ type: 'Line', value: [point] }], TypeError, 'shape.value: expected an array of 2, got an array'],
  ['echoShape', [{ type: 'Line', value: [point, { x: 0 }] }], TypeError, 'shape.value[1].y: expected a number, got undefined'],
  ['echoShape', [{ type: 'constructor' }], TypeError, /^shape.type: expected "Empty", .* got "constructor"$/],
  [
    'echoShapes',
    [[{ type: 'Empty' }, { type: 'Polygon', value: { corners: [point, { x: 0, y: '1' }] } }]],
    TypeError,
    'shapes[1].value.corners[1].y: expected a number, got "1"',
  ],
];

for (const [name, args, ErrorClass, message] of refused) {
  test(`${name} refuses: ${message}`, () => {
    assert.throws(() => encode(name, ...args), (error) => {
      assert.equal(error.constructor, ErrorClass);
      if (typeof message === 'string') assert.equal(error.message, message);
      else assert.match(error.message, message);
      return true;
    });
    const { prepare } = definitionOf(name);
    if (prepare) assert.throws(() => prepare(args), ErrorClass);
  });
}

test('bytes that are no answer are told, not misread', () => {
  const read = (name, hex) => definitionOf(name).readOutput(new Reader(Buffer.from(hex, 'hex')));
  assert.throws(() => read('echoText', '05000000616263'), /too early/);
  assert.throws(() => read('echoBool', '02'), /not a valid boolean/);
  assert.throws(() => read('echoColor', '03'), /not one of/);
  assert.throws(() => read('echoShape', '09'), /no case of Shape/);
  assert.throws(() => read('echoMap', '0200000001000000620000000001000000610000' + '0000'), /not sorted or not unique/);
});

// Made by tierup; the same in every package.
//
// Edge values of each type, as ladders: lists that climb from harmless to extreme. Whoever climbs can stop where the
// function takes long, for a number may be a count, and 2^64 of anything is too much.
'use strict';

const { definitions } = require('./interface');

const INTEGERS = {
  i8: [-(2n ** 7n), 2n ** 7n - 1n],
  i16: [-(2n ** 15n), 2n ** 15n - 1n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  // A size in 32-bit Wasm.
  isize: [-(2n ** 31n), 2n ** 31n - 1n],
  u8: [0n, 2n ** 8n - 1n],
  u16: [0n, 2n ** 16n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  u64: [0n, 2n ** 64n - 1n],
  usize: [0n, 2n ** 32n - 1n],
};

const FLOATS = [
  [0, 1, 1.5, 1e3, 1e6, 2 ** 31, 2 ** 53, 3.4028234663852886e38, 1.7976931348623157e308, Infinity],
  [-0, -1, -1.5, -1e3, -1e6, -(2 ** 31), -Infinity],
  [NaN, 5e-324, 1e-45],
];

const TEXTS = [
  ['', 'a', 'text\twith\r\nwhite space ', '0', '-1.5e3', '{"json":[true]}', '../../etc/passwd', "'; --", '\0'],
  ['ä', '€', '😀', 'e\u0301', '\ufeff', '\uffff', '\u2028', '\u{10ffff}', 'mixed ä€😀 text'],
  [8, 64, 512, 4096, 32768, 262144].map((length) => 'a'.repeat(length)),
  [8, 64, 512, 4096, 32768].map((length) => '😀'.repeat(length)),
];

const BYTES = [
  [[], [0], [255], Array.from({ length: 256 }, (_, byte) => byte)].map((bytes) => Buffer.from(bytes)),
  [512, 4096, 32768, 262144].map((length) => Buffer.alloc(length, 'tierup')),
];

/** A value of a type with nothing remarkable about it. */
function plain(type) {
  if (type.optional) return plain(type.optional);
  if (type.list) return [plain(type.list)];
  if (type.map) return map(['key', plain(type.map)]);
  if (type.defined !== undefined) return plainDefinition(definitions[type.defined]);
  if (type in INTEGERS) return integer(type, 1n);
  return { bool: true, f32: 1.5, f64: 1.5, text: 'text', bytes: Buffer.from('bytes') }[type];
}

function plainDefinition({ words, record, cases }) {
  if (words) return words[0];
  return record ? plainRecord(record) : plainCase(cases[0]);
}

function plainRecord(fields) {
  return Object.fromEntries(fields.map(([name, type]) => [name, plain(type)]));
}

function plainCase({ type, one, several, record }) {
  if (one) return { type, value: plain(one) };
  if (several) return { type, value: several.map(plain) };
  return record ? { type, value: plainRecord(record) } : { type };
}

/** Lists of values of a type, each from harmless to extreme. */
function ladders(type) {
  if (type.optional) return [[null], ...ladders(type.optional)];
  if (type.list) return ladderOfLists(type.list);
  if (type.map) return ladderOfMaps(type.map);
  if (type.defined !== undefined) return laddersOfDefinition(definitions[type.defined]);
  if (type in INTEGERS) return laddersOfIntegers(type);
  return { bool: [[false, true]], f32: FLOATS, f64: FLOATS, text: TEXTS, bytes: BYTES }[type];
}

function ladderOfLists(type) {
  const long = [0, 1, 8, 64, 512, 4096].map((length) => Array.from({ length }, () => plain(type)));
  return [long, ...ladders(type).map((ladder) => ladder.map((value) => [plain(type), value]))];
}

function ladderOfMaps(type) {
  const keys = ['', 'key', 'ä', '\uffff', '😀', '__proto__', 'constructor'];
  const maps = [map(), ...keys.map((key) => map([key, plain(type)]))];
  maps.push(map(...keys.map((key) => [key, plain(type)])));
  return [maps, ...ladders(type).map((ladder) => ladder.map((value) => map(['key', value])))];
}

/** A map as it comes back. */
function map(...entries) {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

function laddersOfDefinition({ words, record, cases }) {
  if (words) return [words];
  if (record) return [[plainRecord(record)], ...laddersOfFields(record, plainRecord(record))];
  return [cases.map(plainCase), ...cases.flatMap(laddersOfCase)];
}

function laddersOfFields(fields, value) {
  return fields.flatMap(([name, type]) => ladders(type).map((ladder) => ladder.map((edge) => ({ ...value, [name]: edge }))));
}

function laddersOfCase({ type, one, several, record }) {
  const wrap = (list) => list.map((ladder) => ladder.map((value) => ({ type, value })));
  if (one) return wrap(ladders(one));
  if (record) return wrap(laddersOfFields(record, plainRecord(record)));
  return several ? wrap(laddersOfTuple(several)) : [];
}

/** One value at its edges at a time, the others plain. */
function laddersOfTuple(types) {
  return types.flatMap((type, place) =>
    ladders(type).map((ladder) => ladder.map((edge) => types.map((other, at) => (at === place ? edge : plain(other))))),
  );
}

/** Powers of eight up to the largest, and down to the smallest. */
function laddersOfIntegers(type) {
  const [least, most] = INTEGERS[type];
  const up = [0n];
  for (let value = 1n; value < most; value *= 8n) up.push(value);
  const down = [];
  for (let value = -1n; value > least; value *= 8n) down.push(value);
  return [[...up, most], least < 0n ? [...down, least] : []].map((ladder) => ladder.map((value) => integer(type, value)));
}

function integer(type, value) {
  return type.endsWith('64') || type.endsWith('size') ? value : Number(value);
}

/** Lists of arguments for a function with parameters of these types. */
function laddersOfArguments(types) {
  return [[types.map(plain)], ...laddersOfTuple(types)];
}

module.exports = { laddersOfArguments };

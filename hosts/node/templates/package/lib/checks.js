// Made by tierup; the same in every package.
//
// Checks of values before they are encoded. Each returns the value in the form that is written, or throws a `Mismatch`. Each
// level that it passes adds its place in the arguments: `items[3].value: expected a number`.
'use strict';

/** The most bytes that a call's arguments may have. No variant could pass on more. */
const LARGEST = 0x7fffffff;

/** A value that does not fit the signature. `refusal` turns it into a real error with a stack. */
class Mismatch {
  constructor(ErrorClass, message) {
    this.ErrorClass = ErrorClass;
    this.message = message;
    this.path = '';
  }
}

/** A `Mismatch` for a value of the wrong type. */
function expected(what, value) {
  return new Mismatch(TypeError, `expected ${what}, got ${describe(value)}`);
}

/** A `Mismatch` for a number that does not fit. */
function outside(what, value) {
  return new Mismatch(RangeError, `expected ${what}, got ${describe(value)}`);
}

function describe(value) {
  switch (typeof value) {
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'string':
      return value.length > 40 ? 'a string' : JSON.stringify(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      return 'an object';
    default:
      return `a ${typeof value}`;
  }
}

/** Adds a place, such as `.value` or `[3]`, to a mismatch. Other errors pass as they are. */
function within(place, error) {
  if (error instanceof Mismatch) error.path = place + error.path;
  return error;
}

/** The error for the caller: a TypeError or RangeError that names the place. Other errors pass as they are. */
function refusal(place, error) {
  if (!(error instanceof Mismatch)) return error;
  return new error.ErrorClass(`${place}${error.path}: ${error.message}`);
}

// Without the flag `u`, the expression would also match the surrogates of a pair.
const isWellFormed = String.prototype.isWellFormed
  ? (value) => value.isWellFormed()
  : (value) => !/\p{Surrogate}/u.test(value);

/** Text that UTF-8 can express: a lone surrogate would arrive as another character. */
function text(value) {
  if (typeof value !== 'string') throw expected('a string', value);
  if (!isWellFormed(value)) throw new Mismatch(TypeError, 'expected well-formed text, got a lone surrogate');
  return value;
}

/** Bytes, from any view of an ArrayBuffer. */
function bytes(value) {
  if (!ArrayBuffer.isView(value)) throw expected('a Buffer, Uint8Array or other view of bytes', value);
  if (value.byteLength === 0 && isDetached(value.buffer)) {
    throw new Mismatch(TypeError, 'expected bytes, got a detached buffer');
  }
  if (value.byteLength > LARGEST) throw new Mismatch(RangeError, 'more than 2 GiB cannot cross');
  // Memory that another thread may change is copied, because Rust relies on it during the call.
  if (value.buffer instanceof SharedArrayBuffer) return copyOfShared(value);
  if (value instanceof Uint8Array) return value;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** Whether a buffer was transferred, as by `postMessage`. */
function isDetached(buffer) {
  if (typeof buffer.detached === 'boolean') return buffer.detached;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

function copyOfShared({ buffer, byteOffset, byteLength }) {
  return Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength));
}

function array(value) {
  if (!Array.isArray(value)) throw expected('an array', value);
  return value;
}

/** An array of exactly `length` values. */
function tuple(value, length) {
  if (!Array.isArray(value) || value.length !== length) throw expected(`an array of ${length}`, value);
  return value;
}

function object(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected('an object', value);
  return value;
}

/** A property that every object inherits, such as `constructor`, counts only if it is an own property. */
function own(value, name) {
  return Object.prototype.hasOwnProperty.call(value, name) ? value[name] : undefined;
}

/** The entries of a Map or plain object as `[key, value]`, sorted as the encoding requires: by the keys' UTF-8. */
function entries(value) {
  const list = value instanceof Map ? Array.from(value) : Object.entries(plain(value));
  for (const entry of list) {
    if (typeof entry[0] !== 'string') throw expected('text as every key', entry[0]);
    if (!isWellFormed(entry[0])) throw new Mismatch(TypeError, 'expected well-formed keys, got a lone surrogate');
  }
  return list.sort((a, b) => compareKeys(a[0], b[0]));
}

function plain(value) {
  if (!isPlain(value)) throw expected('a Map or a plain object', value);
  return value;
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // A plain object from another realm (node:vm) has that realm's Object.prototype, which has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Compares by Unicode code points, which is the order of UTF-8; JavaScript's own order is that of UTF-16. */
function compareKeys(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Puts surrogates, which encode characters beyond U+FFFF, after all others. */
function rank(unit) {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

module.exports = {
  LARGEST,
  Mismatch,
  array,
  bytes,
  compareKeys,
  entries,
  expected,
  isPlain,
  isWellFormed,
  object,
  outside,
  own,
  refusal,
  text,
  tuple,
  within,
};

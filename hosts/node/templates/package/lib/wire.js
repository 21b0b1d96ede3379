// Made by tierup; the same in every package.
//
// The byte encoding: Borsh's layout (https://borsh.io), except that a float is its raw IEEE-754 bits, NaN included.
// Numbers are little-endian. Text, bytes, lists and maps start with a 32-bit count, an optional value with a byte 0 or 1.
'use strict';

const { LARGEST, Mismatch, bytes, compareKeys, expected, isWellFormed, outside } = require('./checks');

/** Text up to this length is copied by JavaScript, unit by unit: cheaper than a call into C++. */
const SHORT_TO_WRITE = 16;
const SHORT_TO_READ = 8;

/** The size of the largest buffer that is kept after a call. */
const KEPT = 1 << 20;

/** Writes values into a buffer that grows, after checking their types. */
class Writer {
  constructor(capacity = 4096) {
    this.use(Buffer.allocUnsafeSlow(capacity), 0, capacity);
  }

  /** Writes into `buffer` from `start` up to `end`. */
  use(buffer, start, end) {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.start = start;
    this.position = start;
    this.end = end;
  }

  /** Forgets what was written. */
  reset() {
    if (this.end - this.start > KEPT) this.use(Buffer.allocUnsafeSlow(4096), 0, 4096);
    this.position = this.start;
  }

  /** How many bytes were written. */
  get length() {
    return this.position - this.start;
  }

  /** What was written. Valid until the next write. */
  written() {
    return this.buffer.subarray(this.start, this.position);
  }

  /** Makes sure that `count` more bytes have room. */
  need(count) {
    if (this.position + count > this.end) this.grow(count);
  }

  grow(count) {
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(roomFor(length, count));
    this.buffer.copy(larger, 0, this.start, this.position);
    this.use(larger, 0, larger.length);
    this.position = length;
  }

  bool(value) {
    if (typeof value !== 'boolean') throw expected('a boolean', value);
    this.case(value ? 1 : 0);
  }

  /** A byte that tells which case follows. */
  case(number) {
    this.need(1);
    this.buffer[this.position] = number;
    this.position += 1;
  }

  i8(value) {
    whole(value, -0x80, 0x7f);
    this.case(value);
  }

  u8(value) {
    whole(value, 0, 0xff);
    this.case(value);
  }

  i16(value) {
    whole(value, -0x8000, 0x7fff);
    this.need(2);
    this.view.setInt16(this.position, value, true);
    this.position += 2;
  }

  u16(value) {
    whole(value, 0, 0xffff);
    this.need(2);
    this.view.setUint16(this.position, value, true);
    this.position += 2;
  }

  i32(value) {
    whole(value, -0x80000000, 0x7fffffff);
    this.need(4);
    this.view.setInt32(this.position, value, true);
    this.position += 4;
  }

  u32(value) {
    whole(value, 0, 0xffffffff);
    this.count(value);
  }

  /** The number of items that follow. */
  count(number) {
    this.need(4);
    this.view.setUint32(this.position, number, true);
    this.position += 4;
  }

  i64(value) {
    if (typeof value !== 'bigint') return this.safe(value, Number.MIN_SAFE_INTEGER, 'a BigInt from -2^63 to 2^63 - 1');
    if (BigInt.asIntN(64, value) !== value) throw outside('a BigInt from -2^63 to 2^63 - 1', value);
    this.need(8);
    this.view.setBigInt64(this.position, value, true);
    this.position += 8;
  }

  u64(value) {
    if (typeof value !== 'bigint') return this.safe(value, 0, 'a BigInt from 0 to 2^64 - 1');
    if (BigInt.asUintN(64, value) !== value) throw outside('a BigInt from 0 to 2^64 - 1', value);
    this.need(8);
    this.view.setBigUint64(this.position, value, true);
    this.position += 8;
  }

  /** A 64-bit number that is given as an ordinary number, which is exact up to 2^53. */
  safe(value, least, what) {
    if (typeof value !== 'number') throw expected(`${what} or a safe integer`, value);
    if (!Number.isSafeInteger(value) || value < least) throw outside(`${what} or a safe integer`, value);
    this.need(8);
    this.view.setUint32(this.position, value, true);
    this.view.setInt32(this.position + 4, Math.floor(value / 0x100000000), true);
    this.position += 8;
  }

  f32(value) {
    if (typeof value !== 'number') throw expected('a number', value);
    this.need(4);
    this.view.setFloat32(this.position, value, true);
    this.position += 4;
  }

  f64(value) {
    if (typeof value !== 'number') throw expected('a number', value);
    this.need(8);
    this.view.setFloat64(this.position, value, true);
    this.position += 8;
  }

  text(value) {
    if (typeof value !== 'string') throw expected('a string', value);
    if (this.ascii(value)) return;
    if (!isWellFormed(value)) throw new Mismatch(TypeError, 'expected well-formed text, got a lone surrogate');
    this.need(4 + mostBytes(value));
    const written = this.buffer.write(value, this.position + 4);
    this.view.setUint32(this.position, written, true);
    this.position += 4 + written;
  }

  /** Writes short ASCII text. For any other text, it writes nothing and returns false. */
  ascii(value) {
    if (value.length > SHORT_TO_WRITE) return false;
    this.need(4 + value.length);
    if (!writeAscii(this.buffer, this.position + 4, value)) return false;
    this.count(value.length);
    this.position += value.length;
    return true;
  }

  bytes(value) {
    const source = bytes(value);
    this.need(4 + source.length);
    this.view.setUint32(this.position, source.length, true);
    this.buffer.set(source, this.position + 4);
    this.position += 4 + source.length;
  }
}

/** Writes short ASCII text into `buffer`. For other text, it returns false, and may have written a part. */
function writeAscii(buffer, at, value) {
  const { length } = value;
  if (length > SHORT_TO_WRITE) return false;
  for (let i = 0; i < length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit > 0x7f) return false;
    buffer[at + i] = unit;
  }
  return true;
}

/** The most bytes that text or bytes can take. */
function mostBytes(value) {
  const { length } = value;
  if (typeof value !== 'string') return length;
  // A UTF-16 unit takes at most three bytes. Long text is measured instead, to save room.
  return length < KEPT ? length * 3 : Buffer.byteLength(value);
}

function whole(value, least, most) {
  if (typeof value !== 'number') throw expected(`a whole number from ${least} to ${most}`, value);
  // `value | 0` would be wrong for values of 2^31 and more.
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    throw outside(`a whole number from ${least} to ${most}`, value);
  }
}

/** A size with room for `count` bytes after `length` others: doubled, so that a value grows in few steps. */
function roomFor(length, count) {
  const needed = length + count;
  if (needed > LARGEST) throw new Mismatch(RangeError, 'more than 2 GiB of arguments cannot cross');
  return Math.min(Math.max(needed, length * 2, 4096), LARGEST);
}

let spare = new Writer();

/**
 * Calls `use` with an empty writer and returns its result. A getter among the arguments may call a function of this package,
 * which then gets its own writer.
 */
function withWriter(use) {
  const writer = spare === null ? new Writer() : spare;
  spare = null;
  try {
    return use(writer);
  } finally {
    writer.reset();
    spare = writer;
  }
}

/** The bytes do not fit the interface: a program and this package do not match. */
class Malformed extends Error {}

/** Reads values from the front of a buffer. */
class Reader {
  /** Reads `buffer` from `position` up to `end`. `owned`: nothing else writes there, so values may be views of it. */
  constructor(buffer, position = 0, end = buffer.length, owned = false) {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.position = position;
    this.end = end;
    this.owned = owned;
  }

  /** Checks that nothing is left. */
  finish() {
    if (this.position !== this.end) throw new Malformed(`${this.end - this.position} bytes follow the answer`);
  }

  take(count) {
    const { position } = this;
    if (count > this.end - position) throw new Malformed('the answer ends too early');
    this.position = position + count;
    return position;
  }

  bool() {
    const byte = this.case();
    if (byte > 1) throw new Malformed(`${byte} is not a valid boolean`);
    return byte === 1;
  }

  /** A byte that tells which case follows. */
  case() {
    return this.buffer[this.take(1)];
  }

  /** One of a few words, by its index. */
  word(words) {
    const number = this.case();
    if (number >= words.length) throw new Malformed(`${number} is not one of ${words.join(', ')}`);
    return words[number];
  }

  i8() {
    return this.view.getInt8(this.take(1));
  }

  u8() {
    return this.case();
  }

  i16() {
    return this.view.getInt16(this.take(2), true);
  }

  u16() {
    return this.view.getUint16(this.take(2), true);
  }

  i32() {
    return this.view.getInt32(this.take(4), true);
  }

  u32() {
    return this.view.getUint32(this.take(4), true);
  }

  /** The number of items that follow. */
  count() {
    return this.view.getUint32(this.take(4), true);
  }

  i64() {
    return this.view.getBigInt64(this.take(8), true);
  }

  u64() {
    return this.view.getBigUint64(this.take(8), true);
  }

  f32() {
    return this.view.getFloat32(this.take(4), true);
  }

  f64() {
    return this.view.getFloat64(this.take(8), true);
  }

  text() {
    return this.textOf(this.count());
  }

  /** Text of so many bytes. */
  textOf(length) {
    const start = this.take(length);
    const { buffer } = this;
    if (length > SHORT_TO_READ) return buffer.toString('utf8', start, start + length);
    let value = '';
    for (let at = start; at < start + length; at += 1) {
      const byte = buffer[at];
      if (byte > 0x7f) return buffer.toString('utf8', start, start + length);
      value += String.fromCharCode(byte);
    }
    return value;
  }

  bytes() {
    return this.bytesOf(this.count());
  }

  /** So many bytes. */
  bytesOf(length) {
    const start = this.take(length);
    // A view keeps all of its memory alive, so it is used only if the bytes are most of that memory.
    if (this.owned && length > this.view.buffer.byteLength / 2) return this.buffer.subarray(start, start + length);
    const copy = Buffer.allocUnsafe(length);
    copy.set(new Uint8Array(this.buffer.buffer, this.buffer.byteOffset + start, length));
    return copy;
  }

  /** The key of a map's next entry. Keys ascend, so comparing it with `last`, the one before, finds duplicates. */
  key(last) {
    const key = this.text();
    if (last !== null && compareKeys(last, key) >= 0) throw new Malformed("a map's keys are not sorted or not unique");
    return key;
  }
}

module.exports = { KEPT, Malformed, Reader, Writer, mostBytes, roomFor, withWriter, writeAscii };

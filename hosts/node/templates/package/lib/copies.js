// Made by tierup; the same in every package.
//
// Copies of answers, for the variants that give one answer to several callers.
'use strict';

/** Deeper or larger values are not inspected, as they may contain themselves. */
const MOST_DEPTH = 64;
const MOST_PARTS = 100_000;

/** A copy that the caller may change. Objects of classes are not copied. */
function copy(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return copyBytes(value);
  if (Array.isArray(value)) return value.map((item) => copy(item));
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, copy(item)]));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copied = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]));
  return prototype === null ? Object.setPrototypeOf(copied, null) : copied;
}

function copyBytes(bytes) {
  const copied = Buffer.isBuffer(bytes) ? Buffer.allocUnsafe(bytes.length) : new Uint8Array(bytes.length);
  copied.set(bytes);
  return copied;
}

/** Whether `copy` makes an equal value that shares no part with this one. */
function isCopyable(value) {
  let parts = MOST_PARTS;
  const look = (part, depth) => {
    parts -= 1;
    if (typeof part === 'function' || typeof part === 'symbol') return false;
    if (typeof part !== 'object' || part === null) return true;
    if (depth > MOST_DEPTH || parts < 0) return false;
    const prototype = Object.getPrototypeOf(part);
    if (part instanceof Uint8Array) return prototype === Buffer.prototype || prototype === Uint8Array.prototype;
    if (part instanceof Map) {
      return prototype === Map.prototype && Array.from(part).every(([key, item]) => !isObject(key) && look(item, depth + 1));
    }
    const keys = Reflect.ownKeys(part);
    if (Array.isArray(part)) {
      // `length` is one of the keys. An array with holes has fewer keys; one with its own properties has more.
      return prototype === Array.prototype && keys.length === part.length + 1 && part.every((item) => look(item, depth + 1));
    }
    if (prototype !== Object.prototype && prototype !== null) return false;
    return keys.every((key) => {
      const property = Object.getOwnPropertyDescriptor(part, key);
      return typeof key === 'string' && property.enumerable && 'value' in property && look(property.value, depth + 1);
    });
  };
  return look(value, 0);
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The approximate size of a value in bytes. */
function sizeOf(value) {
  if (typeof value === 'string') return value.length * 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const items = value instanceof Map ? Array.from(value).flat() : Object.entries(value).flat();
  return items.reduce((sum, item) => sum + 16 + sizeOf(item), 16);
}

module.exports = { copy, isCopyable, sizeOf };

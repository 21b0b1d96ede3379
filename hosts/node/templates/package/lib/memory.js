// Made by tierup; the same in every package.
//
// The memory of a Wasm instance, for `2:core` and `2:bindgen`.
'use strict';

const { Reader } = require('./wire');

/** An instance with more memory than this is not kept, because Wasm memory never shrinks. */
const LARGEST_MEMORY = 256 << 20;

/**
 * Memory that has grown is another ArrayBuffer, and every view of the old one is empty. Checking a view costs a tenth of
 * reading `memory.buffer`, which is a call into C++.
 */
class Memory {
  constructor(memory) {
    this.memory = memory;
    this.look();
  }

  look() {
    this.reader = new Reader(Buffer.from(this.memory.buffer));
  }

  /** All of it. */
  get bytes() {
    if (this.reader.buffer.length === 0) this.look();
    return this.reader.buffer;
  }

  /** The reader of all of it, at `length` bytes from `position`. It is the same at every call. */
  readerAt(position, length) {
    if (this.reader.buffer.length === 0) this.look();
    const { reader } = this;
    reader.position = position;
    reader.end = position + length;
    return reader;
  }

  /** The 32-bit number at `address`. */
  word(address) {
    if (this.reader.buffer.length === 0) this.look();
    return this.reader.view.getUint32(address, true);
  }

  get isTooLarge() {
    return this.bytes.length > LARGEST_MEMORY;
  }
}

module.exports = { Memory };

// Made by tierup; the same in every package.
//
// The desk of a module bound by wasm-bindgen: memory that is kept for arguments and answers, so that a call passes only
// numbers.
'use strict';

const { LARGEST } = require('./checks');
const { PanicError } = require('./errors');
const { Memory } = require('./memory');
const { mostBytes, writeAscii } = require('./wire');

// The four words that the module keeps at its desk.
const ROOM = 0;
const CAPACITY = 4;
const ANSWER = 8;
const LENGTH = 12;

const SMALLEST_ROOM = 4096;

const encoder = new TextEncoder();

class Desk {
  constructor(module) {
    this.module = module;
    this.look();
  }

  /** Looks up the module's instance, which is a new one after a trap. */
  look() {
    this.memory = new Memory(this.module.instanceMemory());
    this.address = this.module.desk();
    this.room = new Uint8Array(0);
  }

  /** Puts bytes where the module reads its arguments; returns their length. */
  put(bytes) {
    this.makeRoom(bytes.length);
    this.room.set(bytes);
    return bytes.length;
  }

  /** Puts text and bytes there, one after another, and replaces the values by their lengths. */
  putAll(values) {
    let most = 0;
    for (let i = 0; i < values.length; i += 1) most += mostBytes(values[i]);
    this.makeRoom(most);
    let at = 0;
    for (let i = 0; i < values.length; i += 1) {
      const length = this.putAt(at, values[i]);
      values[i] = length;
      at += length;
    }
    return values;
  }

  putAt(at, value) {
    const { room } = this;
    if (typeof value !== 'string') {
      room.set(value, at);
      return value.length;
    }
    if (writeAscii(room, at, value)) return value.length;
    return encoder.encodeInto(value, at === 0 ? room : room.subarray(at)).written;
  }

  makeRoom(count) {
    if (count > LARGEST) throw new RangeError('more than 2 GiB of arguments cannot cross');
    if (this.memory.word(this.address + CAPACITY) < count) {
      this.enter(this.module.makeRoom, Math.max(count, SMALLEST_ROOM));
    }
    const { memory, address, room } = this;
    const start = memory.word(address + ROOM);
    const capacity = memory.word(address + CAPACITY);
    // A view of memory that has grown is empty.
    if (room.length === capacity && room.byteOffset === start) return;
    this.room = new Uint8Array(memory.bytes.buffer, start, capacity);
  }

  /** A reader of the answer, valid until the next call. */
  answer() {
    const { memory, address } = this;
    return memory.readerAt(memory.word(address + ANSWER), memory.word(address + LENGTH));
  }

  /** Must be called after the answer was read. Replaces a module with too much memory. */
  clear() {
    if (this.memory.isTooLarge) this.reset();
  }

  /** Calls an export. Whatever it throws is a trap, after which the memory is in an unknown state. */
  enter(exported, first, second) {
    try {
      return exported(first, second);
    } catch (error) {
      const panic = this.lastPanic(error);
      this.reset();
      throw panic;
    }
  }

  lastPanic(error) {
    let message;
    try {
      message = this.module.lastPanic();
    } catch {
      // The module is too broken to give a reason.
    }
    return new PanicError(message ?? `the Wasm module trapped: ${error.message}`, { cause: error });
  }

  /** Replaces the instance by a fresh one. */
  reset() {
    this.module.__wbg_reset_state();
    this.look();
  }
}

module.exports = { Desk };

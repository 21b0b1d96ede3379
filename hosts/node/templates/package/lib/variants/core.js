// Made by tierup; the same in every package.
//
// `2:core`: a Wasm module with the byte ABI and nothing else. Arguments are written directly into its memory.
'use strict';

const fs = require('node:fs');
const { readAnswer } = require('../answers');
const { PanicError } = require('../errors');
const { Memory } = require('../memory');
const { KEPT, Writer, roomFor } = require('../wire');

const ROOM = 4096;

/** Writes into the memory of an instance. */
class MemoryWriter extends Writer {
  constructor(instance) {
    super(0);
    this.instance = instance;
    this.room = ROOM;
    this.pointer = -1;
  }

  /** Asks the instance for room, as before every call. The last answer is invalid from then on. */
  begin() {
    const { instance } = this;
    const pointer = instance.enter(instance.exports.tierup_in, this.room, 0);
    const { bytes } = instance.memory;
    if (pointer !== this.pointer || bytes !== this.buffer) {
      this.pointer = pointer;
      this.use(bytes, pointer, pointer + this.room);
    }
    this.position = pointer;
  }

  grow(count) {
    const { length } = this;
    const before = Buffer.from(this.written());
    this.room = roomFor(length, count);
    this.begin();
    this.buffer.set(before, this.position);
    this.position += length;
  }

  reset() {
    if (this.room <= KEPT) return;
    this.room = ROOM;
    this.pointer = -1;
  }
}

/** One instance and its exports. It serves one call at a time. */
class Instance {
  constructor(module, alternative) {
    this.exports = new WebAssembly.Instance(module).exports;
    if (alternative !== 0) this.exports.tierup_choose(alternative);
    this.memory = new Memory(this.exports.memory);
    this.writer = new MemoryWriter(this);
    this.isBroken = false;
  }

  call(number, definition, args) {
    const { writer } = this;
    try {
      writer.begin();
      definition.writeArguments(writer, args);
      const pointer = this.enter(this.exports.tierup_call, number, writer.length);
      return readAnswer(definition, this.answerAt(pointer));
    } finally {
      writer.reset();
    }
  }

  /** Calls an export. Whatever it throws is a trap, after which the memory is in an unknown state. */
  enter(exported, first, second) {
    try {
      return exported(first, second) >>> 0;
    } catch (error) {
      this.isBroken = true;
      throw this.failure(error);
    }
  }

  /** The error for a trap: the panic's message, if it was a panic. */
  failure(error) {
    try {
      const pointer = this.exports.tierup_last_panic() >>> 0;
      if (pointer !== 0) {
        const from = this.answerAt(pointer);
        from.case();
        return new PanicError(from.text());
      }
    } catch {
      // The instance is too broken to give a reason.
    }
    return new PanicError(`the Wasm module trapped: ${error.message}`, { cause: error });
  }

  /** A reader of the answer at a pointer, which follows its length. */
  answerAt(pointer) {
    return this.memory.readerAt(pointer + 4, this.memory.word(pointer));
  }

  get isUsable() {
    return !this.isBroken && !this.memory.isTooLarge;
  }
}

function load(context) {
  const module = new WebAssembly.Module(fs.readFileSync(context.artifact('core.wasm')));
  const make = () => new Instance(module, context.alternative);
  const first = make();
  context.checkAbi(BigInt.asUintN(64, first.exports.tierup_abi()).toString(16).padStart(16, '0'));

  // A call takes the instance and puts it back. If a getter among the arguments makes another call meanwhile, that call
  // finds none and makes a new one.
  let free = first;

  function call(number, args) {
    const instance = free === null ? make() : free;
    free = null;
    try {
      return instance.call(number, context.functions[number], args);
    } finally {
      if (instance.isUsable) free = instance;
    }
  }

  return { call, callSync: call };
}

module.exports = { load };

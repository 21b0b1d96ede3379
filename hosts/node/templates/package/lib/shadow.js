// Made by tierup; the same in every package.
//
// What a rollout sends of calls: arguments and answers, encoded, to a process that compares them with what the candidate answers. It
// goes out at once or not at all, and nothing here throws, waits, or keeps the event loop running.
'use strict';

const { remedy } = require('./built');
const { refusal } = require('./checks');
const { Companion } = require('./companion');
const { atMost, limits } = require('./limits');
const { program } = require('./processes');
const { Writer } = require('./wire');

/** The most bytes of arguments, and of an answer. */
const LARGEST = 64 << 10;

// Of the protocol: see docs/byte-abi.md of tierup.
const SHADOW = 0x7ffffffe;
const COUNTS = 0x7ffffffd;
const KEEP = 0x40000000;
const HELLO_BYTES = 12;

const [OK, ERROR, PANIC, REFUSED] = [0, 1, 2, 3];

/** How long it pauses at most before it connects again, in milliseconds. */
const LONGEST_PAUSE = 60_000;

/** How long the other end may take for what it has, in milliseconds: more than it gives itself. */
const PATIENCE = 8000;

/** A writer that does not grow. Its room is for text of three bytes a unit, as a writer reserves it. */
class Bounded extends Writer {
  constructor() {
    super(4 * LARGEST);
    this.isBusy = false;
  }

  grow() {
    throw new TooLarge();
  }
}

class TooLarge extends Error {}

let bounded;

/** A copy of what `write` writes; undefined if it is too large. What `write` throws passes. */
function encoded(write) {
  bounded ??= new Bounded();
  // A getter among the values has called a function of this package.
  if (bounded.isBusy) return undefined;
  bounded.isBusy = true;
  try {
    write(bounded);
    return bounded.length > LARGEST ? undefined : Buffer.from(bounded.written());
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  } finally {
    bounded.reset();
    bounded.isBusy = false;
  }
}

/** The arguments of a call: bytes, undefined if they are too large. Throws where they do not fit the signature. */
function encodedArguments(definition, args) {
  return encoded((to) => definition.writeArguments(to, args));
}

/** An answer: bytes, undefined if it is too large. */
function encodedAnswer(definition, value) {
  try {
    return encoded((to) => {
      to.case(OK);
      definition.writeOutput(to, value);
    });
  } catch (error) {
    // No tier in Rust can answer this.
    return message(REFUSED, refusal('answer', error).message);
  }
}

/** How a call failed; undefined if that says nothing of the function. Whatever a baseline throws is its error. */
function encodedError(error, isBaseline) {
  const words = String(error?.message ?? error);
  if (isBaseline || error?.code === 'TIERUP_ERR') return message(ERROR, words);
  if (error?.code === 'TIERUP_PANIC') return message(PANIC, words);
  return error instanceof TypeError || error instanceof RangeError ? message(REFUSED, words) : undefined;
}

function message(tag, words) {
  const text = Buffer.from(words.slice(0, 1000));
  const bytes = Buffer.alloc(5 + text.length);
  bytes[0] = tag;
  bytes.writeUInt32LE(text.length, 1);
  text.copy(bytes, 5);
  return bytes;
}

class Shadow {
  /** `folder`: for evidence. `say(words)`: tells the operator, once. */
  constructor(context, folder, say) {
    this.companion = new Companion(program(context), context.abi, limits().start);
    this.folder = folder;
    this.say = say;
    this.socket = undefined;
    /** Whether it may be written to. */
    this.isOpen = false;
    this.isConnecting = false;
    this.hello = Buffer.alloc(0);
    this.pause = 500;
    this.next = 0;
    /** Whether the last write was not over a tick ago. */
    this.isStuck = false;
  }

  /** Connects if there is no connection. Resolves when that has succeeded or failed. */
  async connect() {
    if (this.socket !== undefined || this.isConnecting || performance.now() < this.next) return;
    this.isConnecting = true;
    this.hello = Buffer.alloc(0);
    // If it fails.
    this.next = performance.now() + this.pause;
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    const greeted = new Promise((resolve) => {
      this.greeted = resolve;
    });
    try {
      const socket = await this.companion.connect((bytes) => this.take(bytes));
      this.socket = socket;
      socket.on('close', () => this.lost());
    } catch (error) {
      this.say(error.message);
      this.greeted();
    }
    this.isConnecting = false;
    await greeted;
  }

  /** 8 bytes are the hash of the interface, and 4 more the empty answer to the request for a shadow. */
  take(bytes) {
    if (this.hello.length >= HELLO_BYTES) return;
    const asked = this.hello.length >= 8;
    this.hello = Buffer.concat([this.hello, bytes]);
    const hash = this.hello.length < 8 ? 0n : this.hello.readBigUInt64LE(0);
    // The reason of a refusal ends with the connection.
    if (hash === 0n) return;
    const isOurs = hash.toString(16).padStart(16, '0') === this.companion.abi;
    if (isOurs && !asked) this.socket.write(frame(SHADOW, Buffer.from(this.folder)));
    if (isOurs && this.hello.length < HELLO_BYTES) return;
    if (isOurs && this.hello.readUInt32LE(8) === 0) {
      this.isOpen = true;
      this.pause = 500;
      this.greeted();
    } else {
      this.say(`${this.companion.path} was built for another interface, or knows nothing of rollouts: ${remedy()}`);
      this.socket.destroy();
    }
  }

  lost() {
    const isRefused = this.hello.length > 8 && this.hello.readBigUInt64LE(0) === 0n;
    if (isRefused) this.say(this.hello.toString('utf8', 8));
    this.isOpen = false;
    this.socket = undefined;
    this.greeted();
  }

  /** Sends a call, which may be kept with its values if it is answered differently; false if it cannot be sent at once. */
  send(number, args, answer, mayBeKept) {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(args.length);
    return this.write(frame(mayBeKept ? number + KEEP : number, head, args, answer));
  }

  /** Sends what was counted. */
  count(counts) {
    return this.write(frame(COUNTS, Buffer.from(JSON.stringify(counts))));
  }

  write(bytes) {
    if (!this.isOpen || !this.socket.writable || this.socket.writableLength > 0) return false;
    this.socket.write(bytes);
    return true;
  }

  /** Once a second. A write that is not over keeps the event loop running: a second one does not wait for it. */
  tick() {
    const isWaiting = this.socket !== undefined && this.socket.writableLength > 0;
    if (isWaiting && this.isStuck) this.socket.destroy();
    this.isStuck = isWaiting;
  }

  /** Waits until what was sent is compared, for some seconds. */
  async close(counts) {
    const { socket } = this;
    if (this.isOpen && this.count(counts)) {
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.end();
      await atMost(PATIENCE, closed);
    }
    socket?.destroy();
    await this.companion.close();
  }
}

/** A request: its length, a number, and what follows it. */
function frame(number, ...parts) {
  const head = Buffer.alloc(8);
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  head.writeUInt32LE(length, 0);
  head.writeUInt32LE(number, 4);
  return Buffer.concat([head, ...parts]);
}

module.exports = { Shadow, encodedAnswer, encodedArguments, encodedError };

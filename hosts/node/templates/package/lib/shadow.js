// Made by tierup; the same in every package.
//
// Sends sampled calls of a rollout, with encoded arguments and answers, to a process that compares them with the
// candidate's answers. Each is sent at once or dropped; nothing here throws, waits, or keeps the event loop running.
'use strict';

const { remedy } = require('./built');
const { refusal } = require('./checks');
const { Companion } = require('./companion');
const { atMost, limits } = require('./limits');
const { program } = require('./processes');
const { Writer } = require('./wire');

/** The most bytes of arguments, and the most bytes of an answer. */
const LARGEST = 64 << 10;

// Constants of the protocol, see docs/byte-abi.md of tierup.
const SHADOW = 0x7ffffffe;
const COUNTS = 0x7ffffffd;
const KEEP = 0x40000000;
const HELLO_BYTES = 12;

const [OK, ERROR, PANIC, REFUSED] = [0, 1, 2, 3];

/** The longest pause before it connects again, in milliseconds. */
const LONGEST_PAUSE = 60_000;

/** How long the worker may take to finish, in milliseconds: more than it allows itself. */
const PATIENCE = 8000;

/** A writer that does not grow. It has room for three bytes for each unit of a text, as a writer reserves them. */
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

/** A copy of what `write` writes; undefined if it is too large. Errors of `write` are passed on. */
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

/** The encoded arguments of a call; undefined if they are too large. Throws if they do not fit the signature. */
function encodedArguments(definition, args) {
  return encoded((to) => definition.writeArguments(to, args));
}

/** The encoded answer; undefined if it is too large. */
function encodedAnswer(definition, value) {
  try {
    return encoded((to) => {
      to.case(OK);
      definition.writeOutput(to, value);
    });
  } catch (error) {
    // No tier in Rust could give this answer.
    return message(REFUSED, refusal('answer', error).message);
  }
}

/** The encoded failure of a call; undefined if it is not the function's. Whatever a baseline throws is its error. */
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
  /** `folder` is for evidence. `say(words)` tells the operator once. */
  constructor(context, folder, say) {
    this.companion = new Companion(program(context), context.abi, limits().start);
    this.folder = folder;
    this.say = say;
    this.socket = undefined;
    /** Whether calls can be written. */
    this.isOpen = false;
    this.isConnecting = false;
    this.hello = Buffer.alloc(0);
    this.pause = 500;
    this.next = 0;
    /** Whether the write before the last tick is still not complete. */
    this.isStuck = false;
  }

  /** Connects if there is no connection. Resolves when that has succeeded or failed. */
  async connect() {
    if (this.socket !== undefined || this.isConnecting || performance.now() < this.next) return;
    this.isConnecting = true;
    this.hello = Buffer.alloc(0);
    // This applies if the connection fails.
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

  /** The first 8 bytes are the hash of the interface; 4 more are the empty answer to the request for a shadow. */
  take(bytes) {
    if (this.hello.length >= HELLO_BYTES) return;
    const asked = this.hello.length >= 8;
    this.hello = Buffer.concat([this.hello, bytes]);
    const hash = this.hello.length < 8 ? 0n : this.hello.readBigUInt64LE(0);
    // A refusal's reason ends with the connection.
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

  /** Sends a call; false if it cannot be sent at once. With `mayBeKept`, its values are kept if the answers differ. */
  send(number, args, answer, mayBeKept) {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(args.length);
    return this.write(frame(mayBeKept ? number + KEEP : number, head, args, answer));
  }

  /** Sends the counts. */
  count(counts) {
    return this.write(frame(COUNTS, Buffer.from(JSON.stringify(counts))));
  }

  write(bytes) {
    if (!this.isOpen || !this.socket.writable || this.socket.writableLength > 0) return false;
    this.socket.write(bytes);
    return true;
  }

  /** Runs once a second. Closes the connection if a write is still pending, as that keeps the event loop running. */
  tick() {
    const isWaiting = this.socket !== undefined && this.socket.writableLength > 0;
    if (isWaiting && this.isStuck) this.socket.destroy();
    this.isStuck = isWaiting;
  }

  /** Waits some seconds until all sent calls are compared. */
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

/** A request: its length, a number, and its parts. */
function frame(number, ...parts) {
  const head = Buffer.alloc(8);
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  head.writeUInt32LE(length, 0);
  head.writeUInt32LE(number, 4);
  return Buffer.concat([head, ...parts]);
}

module.exports = { Shadow, encodedAnswer, encodedArguments, encodedError };

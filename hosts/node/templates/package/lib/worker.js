// Made by tierup; the same in every package.
//
// A process of the pool: it ends with its connection, even in a call.
//
// The first 8 bytes are the hash of the interface, which means that the worker can be called; or 8 zeros, followed by
// the reason why there is no process. The worker then answers frames in their order.
'use strict';

const { remedy } = require('./built');
const { TransportError } = require('./errors');
const { Frames } = require('./frames');
const { after, atMost, startedTooLate } = require('./limits');

const HELLO_BYTES = 8;

/** How long a worker may take to exit by itself before its connection is closed, in milliseconds. */
const PATIENCE = 5000;

/** A call that takes longer, in milliseconds, may take much longer, so no other call should be sent after it. */
const LATE = 2;

/** The companion exited before there was a worker, so no call is lost. */
class Unheard extends TransportError {}

class Worker {
  /** `on`: started(); idle() when it can take another call; ended(error). */
  constructor(companion, on) {
    this.companion = companion;
    this.on = on;
    this.socket = undefined;
    this.hello = Buffer.alloc(0);
    /** Whether calls may be sent to the worker. */
    this.isUsable = false;
    this.hasEnded = false;
    /** The calls that were sent, in order. The worker executes the first. */
    this.held = [];
    /** When the worker got its first call after being idle, or gave its last answer. */
    this.since = 0;
    this.frames = new Frames((bytes, owned) => this.answer(bytes, owned));
    /** Resolves when the worker can be called; rejects if it ends before. */
    this.started = new Promise((resolve, reject) => {
      this.resolveStarted = resolve;
      this.rejectStarted = reject;
    });
    // Without this, a failure that nobody waits for would end the process. Calls report it anyway.
    this.started.catch(() => {});
    const isLate = () => this.end(startedTooLate(companion.path, companion.startTime));
    this.stopStart = after(companion.patience, isLate, { isRef: false });
    companion.connect((bytes) => this.take(bytes)).then(
      (socket) => this.use(socket),
      (error) => this.end(error),
    );
  }

  use(socket) {
    this.socket = socket;
    socket.on('close', () => this.lost());
    if (this.hasEnded) socket.destroy();
  }

  take(bytes) {
    if (this.isUsable) this.frames.take(bytes);
    else if (!this.hasEnded) this.greet(bytes);
  }

  greet(bytes) {
    this.hello = Buffer.concat([this.hello, bytes]);
    const hash = this.hello.length < HELLO_BYTES ? 0n : this.hello.readBigUInt64LE(0);
    // A refusal's reason ends with the connection.
    if (hash === 0n) return;
    if (hash.toString(16).padStart(16, '0') !== this.companion.abi) {
      this.giveUp(`${this.companion.path} was built for another interface: ${remedy()}`);
      return;
    }
    this.isUsable = true;
    this.stopStart();
    this.resolveStarted();
    this.on.started();
  }

  /** Sends a call; false if the worker had ended before, so that the call is not lost. */
  send(call) {
    this.socket.write(call.frame);
    // A write that fails at once has not begun.
    if (!this.socket.writable) return false;
    if (this.held.length === 0) this.since = performance.now();
    this.held.push(call);
    return true;
  }

  /** Whether the current call has taken so long that no other one should be sent after it. */
  isLate() {
    return this.held.length > 0 && performance.now() - this.since > LATE;
  }

  answer(bytes, owned) {
    const call = this.held.shift();
    if (call === undefined) return this.giveUp(`${this.companion.path} sent an answer without a request`);
    this.since = performance.now();
    this.leaveSettled();
    // The next call is sent before this answer is decoded, so that the worker need not wait.
    this.on.idle();
    return call.answer(bytes, owned);
  }

  /** Ends the worker if nobody waits for its current call any more: the call may never end. */
  leaveSettled() {
    if (this.held[0]?.isSettled) this.giveUp(`${this.companion.path} executes a call that nobody waits for`);
  }

  giveUp(reason) {
    this.end(new TransportError(reason));
  }

  /** Lets an idle worker exit by itself, and ends one that does not, or that is still starting. */
  async close() {
    if (this.isUsable) {
      const closed = new Promise((resolve) => this.socket.once('close', resolve));
      this.socket.end();
      await atMost(PATIENCE, closed);
    }
    this.giveUp('the pool is closed');
  }

  /** Must be called after the worker's connection has ended. */
  lost() {
    const message = `${this.companion.path} ended before it answered: standard error says why`;
    if (this.isUsable) this.giveUp(message);
    else if (this.hello.length < HELLO_BYTES) this.end(new Unheard(message));
    else this.giveUp(this.hello.toString('utf8', HELLO_BYTES));
  }

  /** Ends the worker, which gets no more calls. The first error is reported. */
  end(error) {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.isUsable = false;
    this.stopStart();
    this.socket?.destroy();
    this.rejectStarted(error);
    this.on.ended(error);
  }
}

module.exports = { Unheard, Worker };

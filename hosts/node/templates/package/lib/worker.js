// Made by tierup; the same in every package.
//
// One process of the pool: a connection that it ends with, in a call or not.
//
// Its first 8 bytes are the hash of the interface, which say that it can be called; or 8 zeros, and then the reason why there is
// no process. It then answers frames in their order.
'use strict';

const { remedy } = require('./built');
const { TransportError } = require('./errors');
const { Frames } = require('./frames');
const { after, atMost, startedTooLate } = require('./limits');

const HELLO_BYTES = 8;

/** How long a worker may take to end by itself before it is ended, in milliseconds. */
const PATIENCE = 5000;

/** After so many milliseconds a call may take many more: no other call should be sent behind it. */
const LATE = 2;

/** The companion ended before there was a worker: no call is lost. */
class Unheard extends TransportError {}

class Worker {
  /** `on`: started(); idle() when it can take another call; ended(error). */
  constructor(companion, on) {
    this.companion = companion;
    this.on = on;
    this.socket = undefined;
    this.hello = Buffer.alloc(0);
    /** Whether calls may be sent to it. */
    this.isUsable = false;
    this.hasEnded = false;
    /** The calls that were sent, in order. The worker executes the first. */
    this.held = [];
    /** When the worker got a call while it had none, or gave its last answer. */
    this.since = 0;
    this.frames = new Frames((bytes, owned) => this.answer(bytes, owned));
    /** Resolves when it can be called; rejects if it ends before. */
    this.started = new Promise((resolve, reject) => {
      this.resolveStarted = resolve;
      this.rejectStarted = reject;
    });
    // Whoever does not wait for it hears of the failure from a call.
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
    // The reason of a refusal ends with the connection.
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
    // A write that fails at once was not begun.
    if (!this.socket.writable) return false;
    if (this.held.length === 0) this.since = performance.now();
    this.held.push(call);
    return true;
  }

  /** Whether the call that it executes has taken so long that no other should be sent behind it. */
  isLate() {
    return this.held.length > 0 && performance.now() - this.since > LATE;
  }

  answer(bytes, owned) {
    const call = this.held.shift();
    if (call === undefined) return this.giveUp(`${this.companion.path} sent an answer without a request`);
    this.since = performance.now();
    this.leaveSettled();
    // The next call is sent before this answer is decoded, so that the worker need not wait for us.
    this.on.idle();
    return call.answer(bytes, owned);
  }

  /** Ends the worker if nobody waits for the call that it executes any more: the call may never end. */
  leaveSettled() {
    if (this.held[0]?.isSettled) this.giveUp(`${this.companion.path} executes a call that nobody waits for`);
  }

  giveUp(reason) {
    this.end(new TransportError(reason));
  }

  /** Lets an idle worker end by itself, and ends one that does not or that is still starting. */
  async close() {
    if (this.isUsable) {
      const closed = new Promise((resolve) => this.socket.once('close', resolve));
      this.socket.end();
      await atMost(PATIENCE, closed);
    }
    this.giveUp('the pool is closed');
  }

  /** After the end of its connection. */
  lost() {
    const message = `${this.companion.path} ended before it answered: standard error says why`;
    if (this.isUsable) this.giveUp(message);
    else if (this.hello.length < HELLO_BYTES) this.end(new Unheard(message));
    else this.giveUp(this.hello.toString('utf8', HELLO_BYTES));
  }

  /** Ends the worker. It gets no more calls; the first error is the one that is reported. */
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

// Made by tierup; the same in every package.
//
// One process of the pool. It writes 8 bytes when it starts, the hash of its interface, and then answers frames in
// their order. It ends when its standard input does, so it never outlives this process.
'use strict';

const { TransportError } = require('./errors');
const { Frames } = require('./frames');
const { PATIENCE, StandardError, ending, start } = require('./processes');

const HELLO_BYTES = 8;

/** How long a worker that was asked to end may take until it is killed, in milliseconds. */
const LAST_PATIENCE = 5000;

/** A call that has taken so many milliseconds may take many more: no other should wait behind it. */
const LATE = 2;

class Worker {
  /** `on`: started(); idle() when it can take another call; ended(error). */
  constructor(path, abi, on) {
    this.path = path;
    this.abi = abi;
    this.on = on;
    /** The calls that were sent, in order. The first is the one that is executed. */
    this.held = [];
    /** When the worker got its first call, or gave its last answer. */
    this.since = 0;
    this.hello = Buffer.alloc(0);
    this.hasStarted = false;
    this.hasAnswered = false;
    this.hasEnded = false;
    this.failure = null;
    this.readiness = [];
    this.endings = [];
    this.frames = new Frames((bytes) => this.answer(bytes));
    this.standardError = new StandardError();
    this.child = start(path, ['--tierup-worker', abi], (error) => this.end(error));
    this.listen();
    this.isKeptAlive = true;
    this.child?.stdin?.unref();
    this.keepAlive();
  }

  listen() {
    const { child } = this;
    child?.stdout?.on('data', (chunk) => this.take(chunk));
    child?.stderr?.on('data', (chunk) => this.standardError.take(chunk));
    child?.on('close', (code, signal) => this.endOf(code, signal));
    child?.on('exit', (code, signal) => {
      setTimeout(() => this.endOf(code, signal), PATIENCE).unref();
    });
  }

  /**
   * An idle worker must not keep this process from ending; one that somebody waits for must. Where it dies, all three
   * tell: the process how it ended, its streams that nothing more comes.
   */
  keepAlive() {
    const isAwaited = this.held.length + this.readiness.length + this.endings.length > 0;
    if (isAwaited === this.isKeptAlive) return;
    this.isKeptAlive = isAwaited;
    const change = isAwaited ? 'ref' : 'unref';
    this.child?.[change]();
    this.child?.stdout?.[change]();
    this.child?.stderr?.[change]();
  }

  send(call) {
    if (this.held.length === 0) this.since = performance.now();
    this.held.push(call);
    this.keepAlive();
    this.child?.stdin?.write(call.frame);
  }

  /** Whether the call that is executed takes so long that no other should be sent after it. */
  isLate() {
    return this.held.length > 0 && performance.now() - this.since > LATE;
  }

  take(chunk) {
    if (this.hasStarted) return this.frames.take(chunk);
    this.hello = Buffer.concat([this.hello, chunk]);
    if (this.hello.length < HELLO_BYTES) return undefined;
    const abi = this.hello.readBigUInt64LE(0).toString(16).padStart(16, '0');
    if (abi !== this.abi) {
      return this.giveUp(`${this.path} was built for another interface: run \`tierup build\``);
    }
    this.hasStarted = true;
    this.on.started();
    for (const { resolve } of this.readiness.splice(0)) resolve();
    this.keepAlive();
    this.leaveSettled();
    return this.frames.take(this.hello.subarray(HELLO_BYTES));
  }

  answer(bytes) {
    const call = this.held.shift();
    if (call === undefined) return this.giveUp(`${this.path} sent an answer without a request`);
    this.hasAnswered = true;
    this.since = performance.now();
    // The next call is sent before this answer is read, so that the worker need not wait for us.
    this.on.idle();
    this.keepAlive();
    this.leaveSettled();
    return call.answer(bytes);
  }

  /** Nobody waits any more for the call that is executed now, and it may be one that does not end. */
  leaveSettled() {
    if (this.held[0]?.isSettled) this.giveUp(`${this.path} executes a call that nobody waits for`);
  }

  /** Resolves when the worker has started; rejects where it does not. */
  ready() {
    if (this.hasStarted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.readiness.push({ resolve, reject });
      this.keepAlive();
    });
  }

  /** Ends a worker that breaks the rules. */
  giveUp(reason) {
    this.failure = new TransportError(reason);
    this.child?.kill('SIGKILL');
  }

  /** Lets an idle worker end, and ends one that does not; resolves when it has. */
  close() {
    if (this.hasEnded) return Promise.resolve();
    this.child?.stdin?.end();
    const end = setTimeout(() => this.child?.kill('SIGKILL'), LAST_PATIENCE);
    return new Promise((resolve) => {
      this.endings.push(() => {
        clearTimeout(end);
        resolve();
      });
      this.keepAlive();
    });
  }

  endOf(code, signal) {
    this.end(this.failure ?? ending(this.path, code, signal, this.standardError.lastLine));
  }

  end(error) {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const { reject } of this.readiness.splice(0)) reject(error);
    for (const resolve of this.endings.splice(0)) resolve();
    this.on.ended(error);
    // What the streams may still hold is nobody's any more.
    for (const stream of [this.child?.stdin, this.child?.stdout, this.child?.stderr]) stream?.destroy();
  }
}

module.exports = { Worker };

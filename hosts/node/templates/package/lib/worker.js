// Made by tierup; the same in every package.
//
// One process of the pool. It writes 8 bytes when it has started, the hash of its interface, and then answers frames in
// their order. It ends when its standard input does, so it never outlives this process.
'use strict';

const { TransportError } = require('./errors');
const { Frames } = require('./frames');
const { after, startedTooLate } = require('./limits');
const { PATIENCE, StandardError, ending, start } = require('./processes');

const HELLO_BYTES = 8;

/** How long a worker may take to end by itself before it is killed, in milliseconds. */
const LAST_PATIENCE = 5000;

/** After so many milliseconds a call may take many more: no other call should be sent behind it. */
const LATE = 2;

class Worker {
  /**
   * `begin`: of its start, from `Starts`. `startTime`: how many milliseconds it may take to start. `on`: started(); idle() when it can take another call;
   * isAwaited(), whether calls wait for one that can be called; killed(); ended(error).
   */
  constructor(path, abi, begin, startTime, on) {
    this.path = path;
    this.abi = abi;
    this.begin = begin;
    this.on = on;
    /** The calls that were sent, in order. The worker executes the first. */
    this.held = [];
    /** When the worker got a call while it had none, or gave its last answer. */
    this.since = 0;
    this.hello = Buffer.alloc(0);
    this.hasStarted = false;
    this.hasAnswered = false;
    this.hasEnded = false;
    /** Why it was killed; null if it was not. */
    this.failure = null;
    this.readiness = [];
    this.endings = [];
    this.frames = new Frames((bytes) => this.answer(bytes));
    this.standardError = new StandardError();
    this.child = start(path, ['--tierup-worker', abi], (error) => this.end(error));
    this.listen();
    this.isKeptAlive = true;
    this.child?.stdin?.unref();
    this.stopStart = after(startTime, () => this.kill(startedTooLate(path, startTime)), { isRef: false });
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
   * An idle worker must not keep this process from ending; a worker that somebody waits for must. All three handles
   * count: the process reports its exit, its streams report their end.
   */
  keepAlive() {
    const isAwaited =
      this.held.length + this.readiness.length + this.endings.length > 0 || (!this.isUsable() && this.on.isAwaited());
    if (isAwaited === this.isKeptAlive) return;
    this.isKeptAlive = isAwaited;
    const change = isAwaited ? 'ref' : 'unref';
    this.child?.[change]();
    this.child?.stdout?.[change]();
    this.child?.stderr?.[change]();
  }

  /** Whether calls may be sent to it. */
  isUsable() {
    return this.hasStarted && this.failure === null && !this.hasEnded;
  }

  /** Whether it can be called soon. */
  isStarting() {
    return !this.hasStarted && this.failure === null && !this.hasEnded;
  }

  /** Only for a usable worker: a time-out must never end one that is still starting. */
  send(call) {
    if (this.held.length === 0) this.since = performance.now();
    this.held.push(call);
    this.keepAlive();
    this.child?.stdin?.write(call.frame);
  }

  /** Whether the call that it executes has taken so long that no other should be sent behind it. */
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
    this.stopStart();
    this.on.started();
    for (const { resolve } of this.readiness.splice(0)) resolve();
    this.keepAlive();
    return this.frames.take(this.hello.subarray(HELLO_BYTES));
  }

  answer(bytes) {
    const call = this.held.shift();
    if (call === undefined) return this.giveUp(`${this.path} sent an answer without a request`);
    this.hasAnswered = true;
    this.since = performance.now();
    this.leaveSettled();
    // The next call is sent before this answer is decoded, so that the worker need not wait for us.
    this.on.idle();
    this.keepAlive();
    return call.answer(bytes);
  }

  /** Kills the worker if nobody waits for the call that it executes any more: the call may never end. */
  leaveSettled() {
    if (this.held[0]?.isSettled) this.giveUp(`${this.path} executes a call that nobody waits for`);
  }

  /** Resolves when the worker has started; rejects if it ends before. */
  ready() {
    if (this.hasStarted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.readiness.push({ resolve, reject });
      this.keepAlive();
    });
  }

  giveUp(reason) {
    this.kill(new TransportError(reason));
  }

  /** Kills the worker. It gets no more calls; the first reason is the one that is reported. */
  kill(error) {
    if (this.failure !== null) return;
    this.failure = error;
    this.child?.kill('SIGKILL');
    this.on.killed();
    this.keepAlive();
  }

  /** Lets an idle worker end, and kills one that does not or that is still starting; resolves when it has ended. */
  close() {
    if (this.hasEnded) return Promise.resolve();
    if (!this.hasStarted) this.kill(new TransportError('the pool is closed'));
    this.child?.stdin?.end();
    return new Promise((resolve) => {
      const kill = setTimeout(() => this.child?.kill('SIGKILL'), LAST_PATIENCE);
      // The kernel may keep even a killed process, for instance while a disk does not answer.
      const leave = setTimeout(resolve, LAST_PATIENCE + PATIENCE);
      this.endings.push(() => {
        clearTimeout(kill);
        clearTimeout(leave);
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
    this.stopStart();
    for (const { reject } of this.readiness.splice(0)) reject(error);
    for (const resolve of this.endings.splice(0)) resolve();
    this.on.ended(error);
    // Nobody reads any more what the streams may still hold.
    for (const stream of [this.child?.stdin, this.child?.stdout, this.child?.stderr]) stream?.destroy();
  }
}

module.exports = { Worker };

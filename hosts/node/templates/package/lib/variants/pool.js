// Made by tierup; the same in every package.
//
// `1:pool`: a few long-lived processes that answer frames on their standard input. A call goes to the least busy one, and
// waits here while none can take it. A process that is still starting holds no calls. `../starts.js` decides which calls a
// failed start ends.
'use strict';

const { Call } = require('../call');
const { TransportError } = require('../errors');
const { after, limits, tooMany, tookTooLong, waitedTooLong, wholeNumber } = require('../limits');
const { parallelism } = require('../parallelism');
const { program } = require('../processes');
const { Queue } = require('../queue');
const { Starts } = require('../starts');
const { withWriter } = require('../wire');
const { Worker } = require('../worker');

/** How many calls a worker may hold: one that it executes, and the next one, so that it need not wait for it. */
const MOST_HELD = 2;

function load(context) {
  // By default one worker for each processor that this process may use.
  const pool = new Pool(context, wholeNumber('TIERUP_WORKERS') ?? parallelism(), limits());
  return {
    call: (number, args) => pool.call(number, args),
    ready: () => pool.ready(),
    close: () => pool.close(),
  };
}

class Pool {
  constructor(context, size, limits) {
    this.context = context;
    this.limits = limits;
    this.path = program(context);
    this.size = size;
    this.workers = [];
    /** Those that cannot be called: they are starting, or were killed and will be replaced. */
    this.missing = new Set();
    this.waiting = new Queue();
    this.unsettled = 0;
    this.starts = new Starts(() => this.startAgain());
    this.whenSettled = null;
    this.closing = null;
  }

  call(number, args) {
    const definition = this.context.functions[number];
    if (this.closing !== null) throw new TransportError('the pool is closed');
    const frame = encode(number, definition, args);
    const call = new Call(definition, frame, this.limits.timeout, this.starts.begun, {
      settled: () => this.settle(),
      late: () => this.leave(call),
    });
    this.unsettled += 1;
    this.give(call);
    return call.promise;
  }

  /** Hands a call to the least busy worker, or lets it wait if all have enough. */
  give(call) {
    this.start();
    const worker = this.leastBusy();
    // Workers that will have started soon take calls that wait, and these do not count.
    const room = this.limits.mostWaiting + MOST_HELD * this.missing.size;
    if (this.waiting.length === 0 && worker !== undefined && this.mayTake(worker, 1)) worker.send(call);
    else if (this.waiting.length < room) this.waiting.push(call);
    else call.fail(tooMany(this.limits.mostWaiting));
    if (worker !== undefined) this.feed(worker);
    else this.keepAlive();
  }

  /** Whether a worker may take one of so many calls: not as its second if another worker, which will start, could take it. */
  mayTake(worker, calls) {
    return worker.held.length === 0 || calls > this.missing.size;
  }

  /** Fails a call that has taken too long, and kills the worker that executes it. */
  leave(call) {
    const { timeout } = this.limits;
    const worker = this.workers.find(({ held }) => held[0] === call);
    call.fail(worker === undefined ? waitedTooLong(timeout) : tookTooLong(timeout));
    worker?.leaveSettled();
    // All calls have the same time-out, so the first in the queue is the first whose time is over.
    while (this.waiting.first?.isSettled) this.waiting.shift();
    this.keepAlive();
  }

  /** Of two workers that hold as many calls, the one that was active later is likelier to answer soon. */
  leastBusy() {
    let least;
    for (const worker of this.workers) {
      if (!worker.isUsable() || worker.held.length >= MOST_HELD || worker.isLate()) continue;
      const isLess =
        least === undefined ||
        worker.held.length < least.held.length ||
        (worker.held.length === least.held.length && worker.since > least.since);
      if (isLess) least = worker;
    }
    return least;
  }

  /** Calls that wait keep the event loop running, by the timer of the next start or by the workers that are missing. */
  keepAlive() {
    this.starts.keepAlive(this.waiting.length > 0);
    for (const worker of this.missing) worker.keepAlive();
  }

  /** Starts the workers that are missing, unless a start failed a moment ago. */
  start() {
    if (this.workers.length === this.size || this.starts.isPaused() || this.isOver()) return;
    const begin = this.starts.begin();
    while (this.workers.length < this.size) {
      const worker = new Worker(this.path, this.context.abi, begin, this.limits.start, {
        started: () => {
          this.starts.succeed();
          this.missing.delete(worker);
          this.feed(worker);
        },
        killed: () => this.missing.add(worker),
        idle: () => this.feed(worker),
        isAwaited: () => this.waiting.length > 0,
        ended: (error) => this.replace(worker, error),
      });
      this.workers.push(worker);
      this.missing.add(worker);
    }
  }

  /** After the pause that follows a failed start. */
  startAgain() {
    this.start();
    for (const worker of this.workers) this.feed(worker);
  }

  /** Sends calls that wait to a worker, as far as it may take them. */
  feed(worker) {
    while (
      this.waiting.length > 0 &&
      worker.isUsable() &&
      worker.held.length < MOST_HELD &&
      !worker.isLate() &&
      this.mayTake(worker, this.waiting.length)
    ) {
      const call = this.waiting.shift();
      if (!call.isSettled) worker.send(call);
    }
    this.keepAlive();
  }

  replace(worker, error) {
    this.workers.splice(this.workers.indexOf(worker), 1);
    this.missing.delete(worker);
    // Answers come in order: the first call held is the one that was executed. The others never began.
    const executed = worker.held.shift();
    this.waiting.putBack(worker.held.filter((call) => !call.isSettled));
    executed?.fail(error);
    if (this.isOver()) return;
    if (worker.hasAnswered || executed !== undefined) this.start();
    else this.starts.pause(error);
    if (!worker.hasStarted) this.starts.fail(worker, error, this.workers, this.waiting);
    for (const other of this.workers) this.feed(other);
    this.keepAlive();
  }

  /** Resolves when all workers can be called; rejects with the first error once all starts under way are over. */
  async ready() {
    if (this.closing !== null) throw new TransportError('the pool is closed');
    this.start();
    let failure = this.workers.length < this.size ? this.starts.lastFailure : null;
    const started = this.workers.map((worker) =>
      worker.ready().catch((error) => {
        failure ??= error;
      }),
    );
    await Promise.all(started);
    if (failure !== null) throw failure;
  }

  settle() {
    this.unsettled -= 1;
    if (this.unsettled === 0) this.whenSettled?.();
  }

  /** Whether the pool is closed and all calls are settled: nothing is started any more. */
  isOver() {
    return this.closing !== null && this.unsettled === 0;
  }

  /** Waits for the calls that were made, gives them up if that takes too long, then ends the workers. */
  close() {
    this.closing ??= this.finish();
    return this.closing;
  }

  async finish() {
    if (this.unsettled > 0) {
      await new Promise((resolve) => {
        const stop = after(this.limits.grace, resolve);
        this.whenSettled = () => {
          stop();
          resolve();
        };
      });
    }
    this.giveUp();
    this.starts.stop();
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  /** Fails all calls, and kills the workers that hold one. */
  giveUp() {
    const error = () => new TransportError('the pool was closed before the call was answered');
    while (this.waiting.length > 0) this.waiting.shift().fail(error());
    for (const worker of this.workers) {
      for (const call of worker.held) call.fail(error());
      worker.leaveSettled();
    }
  }
}

/** A request: its length, the function's number, the arguments. */
function encode(number, definition, args) {
  return withWriter((writer) => {
    writer.count(0);
    writer.count(number);
    definition.writeArguments(writer, args);
    // A copy, because the stream keeps it until the kernel has taken it.
    const frame = Buffer.from(writer.written());
    frame.writeUInt32LE(frame.length - 4, 0);
    return frame;
  });
}

module.exports = { load };

// Made by tierup; the same in every package.
//
// `1:pool`: a few processes that stay, each fed with frames over its standard input. A call goes to the least busy.
'use strict';

const { Call } = require('../call');
const { TransportError } = require('../errors');
const { after, limits, tooMany, tookTooLong, waitedTooLong, wholeNumber } = require('../limits');
const { parallelism } = require('../parallelism');
const { program } = require('../processes');
const { Queue } = require('../queue');
const { withWriter } = require('../wire');
const { Worker } = require('../worker');

/** Calls that a worker may hold: one that it executes, and one so that it need not wait for the next. */
const MOST_HELD = 2;

/** Where workers die at their start, the next one waits: this long at first, then twice as long each time. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 5000;

/** After so many deaths at the start, one after the other, whoever waits is told. */
const MOST_FAILED_STARTS = 4;

function load(context) {
  // How many workers: TIERUP_WORKERS, or the processors that this process may use.
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
    this.waiting = new Queue();
    this.unsettled = 0;
    this.failedStarts = 0;
    this.lastFailure = null;
    this.nextStart = null;
    this.whenSettled = null;
    this.closing = null;
  }

  call(number, args) {
    const definition = this.context.functions[number];
    if (this.closing !== null) throw new TransportError('the pool is closed');
    const frame = encode(number, definition, args);
    const call = new Call(definition, frame, this.limits.timeout, {
      settled: () => this.settle(),
      late: () => this.leave(call),
    });
    this.unsettled += 1;
    this.give(call);
    return call.promise;
  }

  /** Hands a call to the least busy worker, or lets it wait where all have enough. */
  give(call) {
    this.start();
    const worker = this.leastBusy();
    if (worker !== undefined) worker.send(call);
    else if (this.waiting.length < this.limits.mostWaiting) this.waiting.push(call);
    else call.fail(tooMany(this.limits.mostWaiting));
    this.keepAlive();
  }

  /** Fails a call that has taken too long, and ends the worker that executes it. */
  leave(call) {
    const { timeout } = this.limits;
    const worker = this.workers.find(({ held, hasStarted }) => hasStarted && held[0] === call);
    call.fail(worker === undefined ? waitedTooLong(timeout) : tookTooLong(timeout));
    worker?.leaveSettled();
    // Those that began to wait first are the first whose time is over.
    while (this.waiting.first?.isSettled) this.waiting.shift();
    this.keepAlive();
  }

  /** Of two that hold as many calls, the one that has got on later is likelier to get on soon. */
  leastBusy() {
    let least;
    for (const worker of this.workers) {
      if (worker.held.length >= MOST_HELD || worker.isLate()) continue;
      const isLess =
        least === undefined ||
        worker.held.length < least.held.length ||
        (worker.held.length === least.held.length && worker.since > least.since);
      if (isLess) least = worker;
    }
    return least;
  }

  /** Who waits for a worker to be started must not be forgotten by an event loop that has nothing else to do. */
  keepAlive() {
    if (this.waiting.length > 0) this.nextStart?.ref();
    else this.nextStart?.unref();
  }

  /** Starts the workers that are missing, unless one died at its start a moment ago. */
  start() {
    while (this.workers.length < this.size && this.nextStart === null) {
      const worker = new Worker(this.path, this.context.abi, {
        started: () => {
          this.failedStarts = 0;
        },
        idle: () => this.feed(worker),
        ended: (error) => this.replace(worker, error),
      });
      this.workers.push(worker);
    }
  }

  feed(worker) {
    while (this.waiting.length > 0 && worker.held.length < MOST_HELD && !worker.isLate()) {
      const call = this.waiting.shift();
      if (!call.isSettled) worker.send(call);
    }
  }

  replace(worker, error) {
    this.workers.splice(this.workers.indexOf(worker), 1);
    // Answers come in order: the first call held is the one that was executed. The others never began.
    const executed = worker.hasStarted ? worker.held.shift() : undefined;
    this.waiting.putBack(worker.held.filter((call) => !call.isSettled));
    executed?.fail(error);
    if (this.closing !== null && this.unsettled === 0) return;
    if (worker.hasAnswered || executed !== undefined) this.start();
    else this.startLater(error);
    for (const other of this.workers) this.feed(other);
    this.keepAlive();
  }

  startLater(error) {
    this.lastFailure = error;
    if (this.nextStart === null) {
      const wait = Math.min(FIRST_WAIT * 2 ** this.failedStarts, LONGEST_WAIT);
      this.failedStarts += 1;
      this.nextStart = setTimeout(() => {
        this.nextStart = null;
        this.start();
        for (const worker of this.workers) this.feed(worker);
      }, wait);
    }
    if (this.failedStarts >= MOST_FAILED_STARTS && this.workers.length === 0) {
      while (this.waiting.length > 0) this.waiting.shift().fail(error);
    }
  }

  /** Resolves when all workers can be called. */
  async ready() {
    this.start();
    if (this.workers.length < this.size) throw this.lastFailure;
    await Promise.all(this.workers.map((worker) => worker.ready()));
  }

  settle() {
    this.unsettled -= 1;
    if (this.unsettled === 0) this.whenSettled?.();
  }

  /** Answers what is under way, or gives it up where that takes too long; then ends the workers. */
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
    clearTimeout(this.nextStart);
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  /** Fails all calls that there are, and ends the workers that have one. */
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
    // The stream keeps it until the kernel has taken it, so it is a copy.
    const frame = Buffer.from(writer.written());
    frame.writeUInt32LE(frame.length - 4, 0);
    return frame;
  });
}

module.exports = { load };

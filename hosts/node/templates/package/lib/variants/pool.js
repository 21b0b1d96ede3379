// Made by tierup; the same in every package.
//
// `1:pool`: a few long-lived processes that answer frames. A call goes to the least busy process, and waits here if
// none can take it. The companion starts the processes. A process that is still starting holds no calls.
'use strict';

const { Call } = require('../call');
const { Companion } = require('../companion');
const { TransportError, Unavailable } = require('../errors');
const { atMost, closedBefore, limits, tooMany, tookTooLong, waitedTooLong, wholeNumber } = require('../limits');
const { parallelism } = require('../parallelism');
const { program } = require('../processes');
const { Queue } = require('../queue');
const { withWriter } = require('../wire');
const { Unheard, Worker } = require('../worker');

/** How many calls a worker may hold: the one that it executes, and the next one, for which it need not wait. */
const MOST_HELD = 2;

/** The longest time of Node's timers, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

function load(context) {
  if (process.platform === 'win32') throw new Unavailable('it needs a system with Unix sockets: use 1:spawn');
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
    this.companion = new Companion(program(context), context.abi, limits.start);
    this.size = size;
    this.workers = [];
    /** Workers that cannot be called yet. */
    this.starting = new Set();
    this.waiting = new Queue();
    /** The number of calls so far. */
    this.made = 0;
    this.unsettled = 0;
    /** Keeps the event loop running while a call is awaited, as neither processes nor connections do. */
    this.alive = setInterval(() => {}, LONGEST).unref();
    this.awaited = 0;
    this.whenSettled = null;
    this.closing = null;
  }

  call(number, args) {
    const definition = this.context.functions[number];
    if (this.closing !== null) throw new TransportError('the pool is closed');
    const frame = encode(number, definition, args);
    this.made += 1;
    const call = new Call(definition, frame, this.limits.timeout, this.made, {
      settled: () => this.settle(),
      late: () => this.leave(call),
    });
    this.unsettled += 1;
    this.keepAlive(1);
    this.give(call);
    return call.promise;
  }

  /** Gives a call to the least busy worker, or lets it wait if no worker can take it. */
  give(call) {
    this.waiting.push(call);
    const worker = this.leastBusy();
    if (worker === undefined || worker.held.length > 0) this.start();
    if (worker !== undefined) this.feed(worker);
    // Starting workers will soon take waiting calls, so these do not count.
    const room = this.limits.mostWaiting + MOST_HELD * this.starting.size;
    if (this.waiting.length > room) this.waiting.pop().fail(tooMany(this.limits.mostWaiting));
  }

  /** Fails a call that has taken too long, and ends the worker that executes it. */
  leave(call) {
    const { timeout } = this.limits;
    const worker = this.workers.find(({ held }) => held[0] === call);
    call.fail(worker === undefined ? waitedTooLong(timeout) : tookTooLong(timeout));
    worker?.leaveSettled();
    // All calls have the same time-out, so those at the front of the queue are the first to reach it.
    while (this.waiting.first?.isSettled) this.waiting.shift();
  }

  /** Of two workers with equally many calls, the more recently active one is likely to answer sooner. */
  leastBusy() {
    let least;
    for (const worker of this.workers) {
      if (!worker.isUsable || worker.held.length >= MOST_HELD || worker.isLate()) continue;
      const isLess =
        least === undefined ||
        worker.held.length < least.held.length ||
        (worker.held.length === least.held.length && worker.since > least.since);
      if (isLess) least = worker;
    }
    return least;
  }

  /** Starts workers for waiting calls, up to the size of the pool. */
  start() {
    while (this.starting.size < this.waiting.length && this.workers.length < this.size) this.open();
  }

  /** Starts a worker, which belongs to no call. `isRepeat`: it replaces one that the companion did not start. */
  open(isRepeat = false) {
    const { made } = this;
    const worker = new Worker(this.companion, {
      started: () => {
        this.starting.delete(worker);
        this.feed(worker);
      },
      idle: () => this.feed(worker),
      ended: (error) => {
        this.workers.splice(this.workers.indexOf(worker), 1);
        if (this.starting.delete(worker)) this.startFailed(error, made, isRepeat);
        else this.lose(worker, error);
      },
    });
    this.workers.push(worker);
    this.starting.add(worker);
  }

  /** Sends waiting calls to a worker, as long as it may take them. */
  feed(worker) {
    while (this.waiting.length > 0 && worker.isUsable && worker.held.length < MOST_HELD && !worker.isLate()) {
      // Do not give it a second call that another worker, which is starting, could take.
      if (worker.held.length > 0 && this.waiting.length <= this.starting.size) return;
      const call = this.waiting.shift();
      if (call.isSettled || worker.send(call)) continue;
      this.waiting.putBack([call]);
      worker.lost();
    }
  }

  /**
   * Fails the calls that have waited since this start began or longer, unless another worker can be called. Later calls
   * wait for the next start. `made` is the number of calls when it began.
   */
  startFailed(error, made, isRepeat) {
    if (this.workers.some(({ isUsable }) => isUsable) || this.isOver()) return;
    if (error instanceof Unheard && !isRepeat) this.open(true);
    else while (this.waiting.first?.number <= made) this.waiting.shift().fail(error);
    this.start();
  }

  /** Answers come in order, so the worker was executing the first call that it holds. The others never began. */
  lose(worker, error) {
    const [executed, ...others] = worker.held.splice(0);
    executed?.fail(error);
    this.waiting.putBack(others.filter((call) => !call.isSettled));
    if (this.isOver()) return;
    this.start();
    for (const other of [...this.workers]) this.feed(other);
  }

  /** Resolves when all workers can be called; rejects with the first error after all starts under way have ended. */
  async ready() {
    if (this.closing !== null) throw new TransportError('the pool is closed');
    while (this.workers.length < this.size) this.open();
    this.keepAlive(1);
    const outcomes = await Promise.allSettled(this.workers.map(({ started }) => started));
    this.keepAlive(-1);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  keepAlive(change) {
    this.awaited += change;
    if (this.awaited === 0) this.alive.unref();
    else if (this.awaited === change) this.alive.ref();
  }

  settle() {
    this.unsettled -= 1;
    this.keepAlive(-1);
    if (this.unsettled === 0) this.whenSettled?.();
  }

  /** Whether the pool is closed and all calls are settled, so that nothing is started any more. */
  isOver() {
    return this.closing !== null && this.unsettled === 0;
  }

  /** Waits for the calls that were made, but fails them if that takes too long; then ends the workers. */
  close() {
    this.closing ??= this.finish();
    return this.closing;
  }

  async finish() {
    const settled = new Promise((resolve) => {
      this.whenSettled = resolve;
    });
    if (this.unsettled > 0) await atMost(this.limits.grace, settled);
    this.giveUp();
    await Promise.all([...this.workers].map((worker) => worker.close()));
    await this.companion.close();
    clearInterval(this.alive);
  }

  /** Fails all calls, and ends the workers that hold one. */
  giveUp() {
    while (this.waiting.length > 0) this.waiting.shift().fail(closedBefore());
    for (const worker of [...this.workers]) {
      for (const call of worker.held) call.fail(closedBefore());
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
    // The frame is a copy, because the stream keeps it until the kernel has taken it.
    const frame = Buffer.from(writer.written());
    frame.writeUInt32LE(frame.length - 4, 0);
    return frame;
  });
}

module.exports = { load };

// Made by tierup; the same in every package.
//
// `1:spawn`: the program is run anew for each call, with the arguments on its standard input.
'use strict';

const childProcess = require('node:child_process');
const { readAnswerBytes } = require('../answers');
const { TransportError } = require('../errors');
const { after, atMost, closedBefore, limits, tooMany, tookTooLong, waitedTooLong } = require('../limits');
const { parallelism } = require('../parallelism');
const { PATIENCE, StandardError, ending, noStart, program, start } = require('../processes');
const { Queue } = require('../queue');
const { withWriter } = require('../wire');

function load(context) {
  const path = program(context);
  const line = (number) => ['--tierup-call', String(number), context.abi];
  // More processes at once would only wait for processors, and each takes three file descriptors.
  const most = 4 * parallelism();
  const { timeout, mostWaiting, grace } = limits();
  const waiting = new Queue();
  let running = 0;
  /** Each fails the call of a running process, and kills that process. */
  const ends = new Set();
  let closing;
  let isGivenUp = false;
  let whenSettled;

  async function call(number, args) {
    checkOpen();
    const definition = context.functions[number];
    // The arguments are encoded before the wait, because the caller may change them.
    const input = encode(definition, args);
    const start = performance.now();
    await place();
    const left = timeout === undefined ? undefined : Math.max(0, timeout - (performance.now() - start));
    try {
      // Its place may have come just before.
      if (isGivenUp) throw closedBefore();
      return readAnswerBytes(definition, await run(path, line(number), input, left, () => tookTooLong(timeout), ends));
    } finally {
      give();
    }
  }

  /** Resolves when another process may run. */
  function place() {
    if (running < most) {
      running += 1;
      return undefined;
    }
    if (waiting.length >= mostWaiting) throw tooMany(mostWaiting);
    return new Promise((resolve, reject) => {
      const caller = { isGone: false };
      caller.fail = (error) => {
        stop();
        caller.isGone = true;
        while (waiting.first?.isGone) waiting.shift();
        reject(error);
      };
      const stop = after(timeout, () => caller.fail(waitedTooLong(timeout)));
      caller.take = () => {
        stop();
        resolve();
      };
      waiting.push(caller);
    });
  }

  /** Gives the place to the call that has waited longest, or frees it. */
  function give() {
    let next = waiting.shift();
    while (next?.isGone) next = waiting.shift();
    if (next !== undefined) {
      next.take();
      return;
    }
    running -= 1;
    if (running === 0) whenSettled?.();
  }

  function callSync(number, args) {
    checkOpen();
    const definition = context.functions[number];
    const input = encode(definition, args);
    const ended = childProcess.spawnSync(path, line(number), { input, maxBuffer: Infinity, timeout, killSignal: 'SIGKILL' });
    if (ended.error?.code === 'ETIMEDOUT') throw tookTooLong(timeout);
    if (ended.error && ended.error.code !== 'EPIPE') throw noStart(path, ended.error);
    const standardError = new StandardError();
    if (ended.stderr.length > 0) standardError.take(ended.stderr);
    if (ended.status !== 0) throw ending(path, ended.status, ended.signal, standardError.lastLine);
    return readAnswerBytes(definition, ended.stdout);
  }

  function checkOpen() {
    if (closing !== undefined) throw new TransportError('the pool is closed');
  }

  /** Waits for the calls that were made, but fails them and kills their processes if that takes too long. */
  function close() {
    closing ??= finish();
    return closing;
  }

  async function finish() {
    const settled = new Promise((resolve) => {
      whenSettled = resolve;
    });
    if (running > 0) await atMost(grace, settled);
    isGivenUp = true;
    while (waiting.length > 0) waiting.first.fail(closedBefore());
    for (const end of ends) end(closedBefore());
  }

  return { call, callSync, close };
}

function encode(definition, args) {
  return withWriter((writer) => {
    definition.writeArguments(writer, args);
    return Buffer.from(writer.written());
  });
}

/**
 * Runs the program with `input` on its standard input; resolves with what it wrote on its standard output. If that takes more
 * than `timeout` milliseconds, the program is killed, and `late()` is the error. While it runs, `ends` has a function that kills
 * it and takes the error.
 */
function run(path, line, input, timeout, late, ends) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      stopWaiting();
      clearTimeout(patience);
      ends.delete(giveUp);
    };
    const child = start(path, line, (error) => {
      stop();
      reject(error);
    });
    const standardError = new StandardError();
    const output = [];
    child?.stdout?.on('data', (chunk) => output.push(chunk));
    child?.stderr?.on('data', (chunk) => standardError.take(chunk));
    let patience;
    const giveUp = (error) => {
      stop();
      child?.kill('SIGKILL');
      reject(error);
      leaveStreams();
    };
    ends.add(giveUp);
    const stopWaiting = after(timeout, () => giveUp(late()));
    const end = (code, signal) => {
      stop();
      if (code === 0) resolve(output.length === 1 ? output[0] : Buffer.concat(output));
      else reject(ending(path, code, signal, standardError.lastLine));
      leaveStreams();
    };
    // The rest of the streams is not needed any more.
    const leaveStreams = () => {
      for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    };
    child?.on('close', end);
    child?.on('exit', (code, signal) => {
      // The answer must be read to the end, but standard error need not be.
      const leave = () => (child.stdout.closed ? end(code, signal) : child.stdout.once('close', leave));
      patience = setTimeout(leave, PATIENCE);
    });
    child?.stdin?.end(input);
  });
}

module.exports = { load };

// Made by tierup; the same in every package.
//
// The limits that the environment sets: how long a call and the start of a worker may take, and how many calls may wait.
'use strict';

const { CallTimeoutError, TransportError } = require('./errors');

/** A server with more waiting calls than this is unlikely to catch up. */
const MOST_WAITING = 16_384;

/** How long a worker may take to start, in milliseconds: many times what a busy machine needs. */
const START = 30_000;

/** How long `close()` waits for running calls if they have no time-out, in milliseconds. */
const GRACE = 10_000;

/** The longest time in seconds. Node's timers allow at most 24 days. */
const LONGEST = 1_000_000;

/**
 * `timeout`: of a call, in milliseconds; undefined if there is none. `start`: of a worker's start, in milliseconds.
 * `mostWaiting`: how many calls may wait. `grace`: how long `close()` waits for running calls, in milliseconds.
 */
function limits() {
  const timeout = milliseconds('TIERUP_CALL_TIMEOUT');
  return {
    timeout,
    start: milliseconds('TIERUP_START_TIMEOUT') ?? START,
    mostWaiting: wholeNumber('TIERUP_CALL_QUEUE') ?? MOST_WAITING,
    grace: timeout ?? GRACE,
  };
}

/** A variable in seconds, as milliseconds; undefined if it is not set. */
function milliseconds(name) {
  const asked = process.env[name];
  if (asked === undefined || asked === '') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(asked) ? Number(asked) : NaN;
  if (!(seconds > 0 && seconds <= LONGEST)) {
    throw new Error(`${name} must be a number of seconds above 0, up to ${LONGEST}, such as 2.5, got \`${asked}\``);
  }
  // Rounded, because `spawnSync` accepts only whole milliseconds and 2.01 * 1000 is not whole.
  return Math.max(1, Math.round(seconds * 1000));
}

/** A variable that is a whole number; undefined if it is not set. */
function wholeNumber(name) {
  const asked = process.env[name];
  if (asked === undefined || asked === '') return undefined;
  const number = Number(asked);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a whole number of at least 1, got \`${asked}\``);
  return number;
}

/** Calls `end` after this time, unless the function that it returns is called first. `isRef`: as of Node's timers. */
function after(milliseconds, end, { isRef = true } = {}) {
  if (milliseconds === undefined) return () => {};
  let isOver = false;
  // `setImmediate` lets Node first read what has arrived: this process itself may have been busy all the time.
  const timer = setTimeout(() => setImmediate(() => isOver || end()), milliseconds);
  if (!isRef) timer.unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Resolves with a promise, but after so many milliseconds at the latest. */
function atMost(milliseconds, promise) {
  return new Promise((resolve) => {
    const stop = after(milliseconds, resolve);
    promise.then(() => {
      stop();
      resolve();
    });
  });
}

// The errors of unanswered calls.

function tookTooLong(timeout) {
  return new CallTimeoutError(`the call took longer than ${timeout / 1000} s (TIERUP_CALL_TIMEOUT): its process was ended`);
}

function waitedTooLong(timeout) {
  return new CallTimeoutError(`no worker was free for the call within ${timeout / 1000} s (TIERUP_CALL_TIMEOUT)`);
}

function startedTooLate(path, start) {
  const limit = `${start / 1000} s (TIERUP_START_TIMEOUT)`;
  return new TransportError(`${path} did not start within ${limit}: its process was ended`);
}

function tooMany(mostWaiting) {
  return new TransportError(`${mostWaiting} calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)`);
}

function closedBefore() {
  return new TransportError('the pool was closed before the call was answered');
}

module.exports = { after, atMost, closedBefore, limits, startedTooLate, tooMany, tookTooLong, waitedTooLong, wholeNumber };

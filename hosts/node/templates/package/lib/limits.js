// Made by tierup; the same in every package.
//
// How long a call may take and how many may wait, as the environment says.
'use strict';

const { CallTimeoutError, TransportError } = require('./errors');

/** More is likelier a server that is lost than one that catches up. */
const MOST_WAITING = 16_384;

/** How long `close()` waits for calls under way where none has a time-out, in milliseconds. */
const GRACE = 10_000;

/** More than a timer of Node's can take is more than anybody waits. */
const LONGEST = 1_000_000;

/**
 * `timeout`: of a call, in milliseconds; undefined where it may take as long as it likes. `mostWaiting`: calls.
 * `grace`: how long `close()` waits for calls under way, in milliseconds.
 */
function limits() {
  const timeout = callTimeout();
  return { timeout, mostWaiting: wholeNumber('TIERUP_CALL_QUEUE') ?? MOST_WAITING, grace: timeout ?? GRACE };
}

/** TIERUP_CALL_TIMEOUT in milliseconds; undefined where there is none. */
function callTimeout() {
  const asked = process.env.TIERUP_CALL_TIMEOUT;
  if (asked === undefined || asked === '') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(asked) ? Number(asked) : NaN;
  if (!(seconds > 0 && seconds <= LONGEST)) {
    throw new Error(`TIERUP_CALL_TIMEOUT must be a number of seconds above 0, up to ${LONGEST}, such as 2.5, got \`${asked}\``);
  }
  // Whole ones: `spawnSync` takes no others, and 2.01 times 1000 is none.
  return Math.max(1, Math.round(seconds * 1000));
}

/** The number that a variable has; undefined where it has none. */
function wholeNumber(name) {
  const asked = process.env[name];
  if (asked === undefined || asked === '') return undefined;
  const number = Number(asked);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a whole number of at least 1, got \`${asked}\``);
  return number;
}

/** Has `end` called when the time is over, unless what it returns is called before. */
function after(milliseconds, end) {
  if (milliseconds === undefined) return () => {};
  let isOver = false;
  // Answers that have come meanwhile are read first: this process itself may have been busy for that long.
  const timer = setTimeout(() => setImmediate(() => isOver || end()), milliseconds);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** The errors of calls that are not answered. */
function tookTooLong(timeout) {
  return new CallTimeoutError(`the call took longer than ${timeout / 1000} s (TIERUP_CALL_TIMEOUT): its process was ended`);
}

function waitedTooLong(timeout) {
  return new CallTimeoutError(`no worker was free for the call within ${timeout / 1000} s (TIERUP_CALL_TIMEOUT)`);
}

function tooMany(mostWaiting) {
  return new TransportError(`${mostWaiting} calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)`);
}

module.exports = { after, limits, tooMany, tookTooLong, waitedTooLong, wholeNumber };

// Made by tierup; the same in every package.
//
// A thread of `0:workers`, as the server's main thread sees it. Arguments and answers are sent in the byte encoding, so
// that they have the same types as at every other tier. Errors are sent as JavaScript copies them.
'use strict';

const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { TransportError } = require('./errors');
const { atMost } = require('./limits');
const { Reader } = require('./wire');

class OwnThread {
  /** `classes` are the module's error classes by name. */
  constructor(ownModule, functions, classes) {
    this.functions = functions;
    this.classes = classes;
    /** The thread's calls by number: `{ number, resolve, reject }`. */
    this.calls = new Map();
    this.next = 0;
    this.isReady = false;
    this.whenIdle = [];
    this.worker = new Worker(path.join(__dirname, 'own_worker.js'), {
      workerData: { ownModule },
      // A module that binds the package itself gets its own functions, not further threads.
      env: { ...process.env, TIERUP_TIER: '0', TIERUP_ROLLOUT: '' },
    });
    this.ready = new Promise((resolve, reject) => {
      this.resolveReady = resolve;
      this.rejectReady = reject;
    });
    // Without this, a failure that nobody waits for would end the process. Calls report it anyway.
    this.ready.catch(() => {});
    let cause;
    this.worker.on('message', (message) => this.receive(message));
    this.worker.on('error', (error) => {
      cause = error;
    });
    /** Resolves when the thread has ended, with the reason if it was not asked to end. */
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', (code) => resolve(this.end(cause, code)));
    });
  }

  /** Makes a call with encoded arguments. */
  call(number, encoded) {
    return new Promise((resolve, reject) => {
      const id = this.next;
      this.next += 1;
      if (this.calls.size === 0) this.worker.ref();
      this.calls.set(id, { number, resolve, reject });
      this.worker.postMessage({ id, number, encoded }, [encoded.buffer]);
    });
  }

  receive(message) {
    if (message.isReady) {
      this.isReady = true;
      this.resolveReady();
      // A server without calls may exit, as at tier 0.
      if (this.calls.size === 0) this.worker.unref();
      return;
    }
    const call = this.calls.get(message.id);
    this.calls.delete(message.id);
    if (this.calls.size === 0) {
      this.worker.unref();
      this.whenIdle.splice(0).forEach((tell) => tell());
    }
    if ('thrown' in message) call.reject(errorOf(message, this.classes));
    else if ('encoded' in message) call.resolve(this.functions[call.number].readOutput(new Reader(Buffer.from(message.encoded.buffer))));
    else call.resolve(message.value);
  }

  /** Fails the calls of an ended thread. Returns the reason if it was not asked to end. */
  end(cause, code) {
    const why = cause === undefined ? `ended with exit code ${code}` : `failed: ${cause.message}`;
    const error = new TransportError(`a worker thread of 0:workers ${why}`, { cause });
    this.rejectReady(error);
    const calls = Array.from(this.calls.values());
    this.calls.clear();
    calls.forEach(({ reject }) => reject(error));
    this.whenIdle.splice(0).forEach((tell) => tell());
    return this.isClosing ? undefined : error;
  }

  /** Waits at most `grace` milliseconds for the thread's calls, then ends it. */
  async close(grace) {
    this.isClosing = true;
    if (this.calls.size > 0) await atMost(grace, new Promise((resolve) => this.whenIdle.push(resolve)));
    await this.worker.terminate();
  }
}

/** The error as it was thrown: its class if JavaScript or the module has it, its message, its plain properties. */
function errorOf({ thrown, className, name, properties }, classes) {
  if (!(thrown instanceof Error)) return thrown;
  const known = classes.get(className);
  if (known !== undefined) Object.setPrototypeOf(thrown, known.prototype);
  Object.assign(thrown, properties);
  if (thrown.name !== name) Object.defineProperty(thrown, 'name', { value: name, configurable: true, writable: true });
  return thrown;
}

module.exports = { OwnThread };

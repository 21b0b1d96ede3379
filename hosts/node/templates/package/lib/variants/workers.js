// Made by tierup; the same in every package.
//
// `0:workers`: the server's own functions in worker threads, one for each processor or TIERUP_WORKERS of them. A function cannot
// be sent to a thread, so each thread loads the module that `[host.node.baseline]` of tierup.toml names.
//
// A call goes to the thread with the fewest calls. A thread that ends fails the calls that it has; the next call starts another.
'use strict';

const fs = require('node:fs');
const { pathToFileURL } = require('node:url');
const { TransportError, Unavailable } = require('../errors');
const { limits, tooMany, wholeNumber } = require('../limits');
const { parallelism } = require('../parallelism');
const { ownModule } = require('../own');
const { OwnThread } = require('../own_thread');
const { withWriter } = require('../wire');

/** After a thread could not load the module, no other one is started for so many milliseconds. */
const PAUSE = 1000;

function load(context, baseline) {
  const cannot = (why) => new Unavailable(`${context.packageName} cannot run at tier 0:workers: ${why}`);
  if (ownModule === null) {
    throw cannot('each thread loads the functions itself, so tierup.toml must name their module: "0" of [host.node.baseline]');
  }
  if (!fs.existsSync(ownModule)) throw cannot(`there is no module ${ownModule}: run \`tierup build\` where the server runs`);
  const size = wholeNumber('TIERUP_WORKERS') ?? parallelism();
  const { mostWaiting } = limits();
  const threads = Array.from({ length: size }, () => undefined);
  const classes = errorClasses(ownModule);
  let failed;
  let isClosed = false;

  /** The thread at a place, started if there is none. */
  function threadAt(place) {
    if (threads[place] !== undefined) return threads[place];
    if (failed !== undefined && performance.now() - failed.at < PAUSE) throw new TransportError(failed.error.message);
    const thread = new OwnThread(ownModule, context.functions, classes);
    thread.ended.then((error) => {
      if (threads[place] === thread) threads[place] = undefined;
      if (error !== undefined && !thread.isReady) failed = { at: performance.now(), error };
    });
    threads[place] = thread;
    return thread;
  }

  /** The place of the thread with the fewest calls. Places without a thread come after idle threads. */
  function place() {
    let best = 0;
    let least = Infinity;
    threads.forEach((thread, at) => {
      const count = thread === undefined ? 0.5 : thread.calls.size;
      if (count < least) [best, least] = [at, count];
    });
    return best;
  }

  async function call(number, args) {
    const definition = context.functions[number];
    // The function may read arguments beyond its signature, which are not encoded.
    if (args.length > definition.arity) return baseline[number](...args);
    let encoded;
    try {
      encoded = withWriter((writer) => {
        definition.writeArguments(writer, args);
        return new Uint8Array(writer.written());
      });
    } catch {
      // Arguments that Rust would refuse go to the baseline as they are.
      return baseline[number](...args);
    }
    if (isClosed) throw new TransportError('the workers are closed');
    const waiting = threads.reduce((sum, thread) => sum + (thread?.calls.size ?? 0), 0);
    if (waiting >= size + mostWaiting) throw tooMany(mostWaiting);
    return threadAt(place()).call(number, encoded);
  }

  async function ready() {
    await Promise.all(threads.map((_, at) => threadAt(at).ready));
  }

  /** Waits for running calls until the grace is over, then ends the threads. */
  async function close() {
    isClosed = true;
    const all = threads.filter((thread) => thread !== undefined);
    await Promise.all(all.map((thread) => thread.close(limits().grace)));
  }

  return { call, ready, close };
}

/**
 * The error classes that the module exports, by name. They restore the class of an error from a thread, so that
 * `instanceof` works as at tier 0. The module is already loaded, or this process loads it now as a thread does.
 */
function errorClasses(ownModule) {
  const classes = new Map();
  import(pathToFileURL(ownModule).href).then(
    (loaded) => {
      for (const value of Object.values({ ...loaded, ...(loaded.default ?? {}) })) {
        if (typeof value === 'function' && value.prototype instanceof Error) classes.set(value.name, value);
      }
    },
    // The threads report why it cannot be loaded.
    () => {},
  );
  return classes;
}

module.exports = { load };

// Made by tierup; the same in every package.
//
// The functions as a server calls them, bound to a tier. The call is the same at every tier.
'use strict';

const { checkHealth } = require('./health');
const { Metrics } = require('./metrics');
const { choose } = require('./tiers');
const { functions } = require('./types');
const { isPromise } = require('./variants/baseline');

/**
 * The functions at one tier. Throws if that tier cannot run here.
 *
 * @param {object} [options] `baseline`, `baselines`, `tier`: see index.d.ts.
 */
function bind(options = {}) {
  const chosen = choose(options);
  const { tier, variant, release } = chosen;
  const metrics = new Metrics(chosen);
  let released;
  const binding = {
    tier,
    ready: async () => variant.ready?.(),
    close: async () => {
      released ??= release();
      await released;
    },
    checkHealth: () => checkHealth(binding),
    metrics: () => metrics.read(),
  };
  functions.forEach(({ name }, number) => {
    const nameSync = `${name}Sync`;
    // As properties, so that stack traces show their names.
    const bound = {
      [name]: async (...args) => {
        metrics.calls += 1;
        try {
          const answer = variant.call(number, args);
          // To wait for a value that is there already would take a turn of the queue.
          return isPromise(answer) ? await answer : answer;
        } catch (error) {
          metrics.failed(error);
          throw error;
        }
      },
      [nameSync]: (...args) => {
        if (!variant.callSync) throw new Error(`${nameSync}() is not supported at tier ${tier}: call ${name}() instead`);
        metrics.calls += 1;
        try {
          return variant.callSync(number, args);
        } catch (error) {
          metrics.failed(error);
          throw error;
        }
      },
    };
    Object.assign(binding, bound);
  });
  return binding;
}

/** The functions without a baseline, at the tier that TIERUP_TIER names when they are first used. */
function lazyBinding() {
  let binding;
  const own = () => {
    binding ??= bind();
    return binding;
  };
  const lazy = {
    get tier() {
      return own().tier;
    },
    ready: async () => own().ready(),
    close: async () => binding?.close(),
    checkHealth: async () => own().checkHealth(),
    metrics: () => own().metrics(),
  };
  for (const { name } of functions) {
    const nameSync = `${name}Sync`;
    lazy[name] = async (...args) => own()[name](...args);
    lazy[nameSync] = (...args) => own()[nameSync](...args);
  }
  return lazy;
}

module.exports = { bind, lazyBinding };

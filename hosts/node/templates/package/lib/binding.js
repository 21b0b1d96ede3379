// Made by tierup; the same in every package.
//
// The functions as a server calls them, bound to a tier. The call is the same at every tier.
'use strict';

const { checkHealth } = require('./health');
const { choose } = require('./tiers');
const { functions } = require('./types');

/**
 * The functions at one tier. Throws if that tier cannot run here.
 *
 * @param {object} [options] `baseline`, `baselines`, `tier`: see index.d.ts.
 */
function bind(options = {}) {
  const { tier, variant, release } = choose(options);
  let released;
  const binding = {
    tier,
    ready: async () => variant.ready?.(),
    close: async () => {
      released ??= release();
      await released;
    },
    checkHealth: () => checkHealth(binding),
  };
  functions.forEach(({ name }, number) => {
    const nameSync = `${name}Sync`;
    // As properties, so that stack traces show their names.
    const bound = {
      [name]: async (...args) => variant.call(number, args),
      [nameSync]: (...args) => {
        if (variant.callSync) return variant.callSync(number, args);
        throw new Error(`${nameSync}() is not supported at tier ${tier}: call ${name}() instead`);
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
  };
  for (const { name } of functions) {
    const nameSync = `${name}Sync`;
    lazy[name] = async (...args) => own()[name](...args);
    lazy[nameSync] = (...args) => own()[nameSync](...args);
  }
  return lazy;
}

module.exports = { bind, lazyBinding };

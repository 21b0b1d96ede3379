// Made by tierup; the same in every package.
//
// Which tier answers: the one that TIERUP_TIER names, or the best variant that was built.
//
// A variant is a module in `variants/` that exports `load(context)`. That throws an Error, saying why, if the variant cannot
// run; otherwise it returns
//   {
//     call(number, args)       the answer of a function, or a Promise of it
//     callSync(number, args)   the answer itself; missing if the variant cannot do that
//     ready()                  resolves when no call has to wait for a start; optional
//     close()                  frees everything; optional, may return a Promise
//   }
// Calls throw, or reject with, CallError, PanicError, TransportError and CallTimeoutError, and TypeError and RangeError for
// arguments that do not fit the signature (thrown by `functions[number].writeArguments(writer, args)` or `.prepare(args)`, one
// of which every variant in Rust calls first). The variant may change `args`, but not the values in it.
// The context is
//   {
//     packageName, abi         of this package
//     functions                the table of `types.js`, by number
//     artifact(name, use)      what `use` makes of the absolute path of a built file; without `use`, the path
//     alternative              0, or the number of the alternative that this process calls
//     checkAbi(abi)            throws if a built file has another interface than this package
//   }
'use strict';

const { RESERVED, readBaselines } = require('./baselines');
const { artifact, checkAbi, isBuilt, isStale, remedy, requireBuilt, whyNot } = require('./built');
const { Unavailable } = require('./errors');
const { BEST_FIRST, withFallbacks } = require('./fallbacks');
const { abi, alternatives = [], functions, packageName } = require('./types');

/** The variants of each tier, the preferred one first. */
const OF_TIER = new Map([
  ['1', ['1:pool', '1:spawn']],
  ['2', ['2:core', '2:bindgen', '2:component']],
  ['3', ['3:native', '3:async']],
]);

/** `#NAME` of TIERUP_TIER, or ''. Rust reads the same variable once, so that the whole process calls one implementation. */
const ALTERNATIVE = /#.*/s.exec(process.env.TIERUP_TIER ?? '')?.[0] ?? '';

/** Variants whose modules do not support alternatives. */
const WITHOUT_ALTERNATIVES = ['2:bindgen', '2:component'];

const CONTEXT = { packageName, abi, functions, alternative: alternatives.indexOf(ALTERNATIVE.slice(1)) + 1, checkAbi };

/**
 * Loads the requested tier: `{ tier, variant, release, asked, instead }`. `release` frees it; `asked` and `instead` are
 * for `metrics()`.
 */
function choose(options) {
  const chosen = requested(options);
  return process.env.TIERUP_ROLLOUT ? aroundRollout(chosen) : chosen;
}

/** Makes the chosen tier the control of a rollout (`rollout.js`). */
function aroundRollout(chosen) {
  const isVariant = (name) => BEST_FIRST.includes(name);
  // Both variants run the same program.
  const name = ['1:pool', '1:spawn'].find(isBuilt) ?? '1:pool';
  const context = { ...CONTEXT, artifact: (...words) => artifact(name, ...words), isVariant, variantOf: (candidate) => load(candidate) };
  return require('./rollout').around(chosen, context);
}

function requested(options) {
  const baselines = readBaselines(options);
  const asked = options.tier ?? process.env.TIERUP_TIER ?? '';
  if (typeof asked !== 'string') throw new TypeError(`tier must be a string such as '3:native', not a ${typeof asked}`);
  const first = () => {
    const chosen = load(nameOf(withoutAlternative(asked), baselines), baselines, asked);
    return { ...chosen, instead: asked === '' && chosen.tier === '0' ? sayNothingIsBuilt() : '' };
  };
  return { ...withFallbacks(first, (name) => load(name, baselines)), asked };
}

let isSaid = false;

/** Prints once on standard error that no Rust runs. */
function sayNothingIsBuilt() {
  const words = `${packageName}: your own code runs, at tier 0, as no variant is built here: ${remedy()}`;
  if (!isSaid) console.warn(words);
  isSaid = true;
  return words;
}

/** The requested row without its alternative: `3:native` for `3:native#NAME`. */
function withoutAlternative(asked) {
  const [base, ...rest] = asked.split('#');
  if (rest.length === 0) return asked;
  const name = rest.join('#');
  if (base === '0' || base.startsWith('0:')) throw new Error(`${asked} is not a tier: ${base} runs no Rust, so it has no alternatives`);
  if (!alternatives.includes(name)) {
    const known = alternatives.length === 0 ? 'has none' : `has ${alternatives.join(', ')}`;
    throw new Error(`${packageName} has no alternative '${name}': [function.alternatives] in tierup.toml ${known}`);
  }
  return base;
}

/** Throws if a variant in Rust cannot call the requested implementation. */
function checkAlternative(name, asked) {
  const wanted = /#.*/s.exec(asked)?.[0] ?? '';
  if (asked !== '' && wanted !== ALTERNATIVE) {
    throw new Error(`an alternative holds for the whole process: set TIERUP_TIER=${name}${wanted}, rather than ask for ${asked} beside TIERUP_TIER=${process.env.TIERUP_TIER ?? ''}`);
  }
  if (ALTERNATIVE !== '' && WITHOUT_ALTERNATIVES.includes(name)) {
    throw new Unavailable(`${packageName} cannot run at tier ${name}${ALTERNATIVE}: ${name} calls the exported function only`);
  }
}

/** The name of the row that was requested. */
function nameOf(asked, baselines) {
  if (asked === '') return best(baselines);
  if (asked === '0' || asked.startsWith('0:') || BEST_FIRST.includes(asked)) return asked;
  if (asked === '4' || asked === '4:server') {
    throw new Error(`tier 4 is a separate server, which ${packageName} cannot load: run \`tierup serve --tier 4\``);
  }
  const variants = OF_TIER.get(asked);
  if (variants === undefined) {
    throw new Error(`${asked} is not a tier: use 0, 0:free, 0:memo, 0:workers, 0:LABEL, 1, 2, 3 or one of ${BEST_FIRST.join(', ')}`);
  }
  const name = variants.find(isBuilt);
  if (name !== undefined) return name;
  const reasons = variants.map((variant) => `\n  ${variant}: ${whyNot(variant)}`);
  throw new Unavailable(`${packageName} cannot run at tier ${asked}:${reasons.join('')}`);
}

/** The best variant that was built, otherwise the baseline. */
function best(baselines) {
  // Something was built, but for another interface. Falling back to the baseline would hide that.
  if (isStale()) throw new Unavailable(`${packageName} cannot run: ${whyNot('')}`);
  const name = BEST_FIRST.find(isBuilt);
  if (name !== undefined) return name;
  if (baselines.has('')) return '0';
  const reasons = BEST_FIRST.map((variant) => `\n  ${variant}: ${whyNot(variant)}`);
  throw new Unavailable(`${packageName} has nothing to run: it has no baseline, and${reasons.join('')}`);
}

function load(name, baselines, asked = '') {
  if (name === '0' || name.startsWith('0:')) return loadBaseline(name, baselines);
  checkAlternative(name, asked);
  requireBuilt(name);
  return { ...share(name), tier: name + ALTERNATIVE };
}

function loadBaseline(name, baselines) {
  const label = name.slice(2);
  const isAround = RESERVED.includes(label);
  const baseline = baselines.get(isAround ? '' : label);
  if (baseline === undefined) {
    const option = label === '' || isAround ? 'baseline' : `baselines.${label}`;
    throw new Error(`tier ${name} needs the function that ${packageName} replaces: pass it as with({ ${option} })`);
  }
  const { load: loadVariant } = require(`./variants/${isAround ? label : 'baseline'}`);
  const variant = loadVariant(CONTEXT, baseline);
  return { tier: name, variant, release: async () => variant.close?.() };
}

/** Variants in use, by name. All bindings in a thread share them, so that there is one pool and one Wasm module. */
const shared = new Map();

function share(name) {
  let entry = shared.get(name);
  if (entry === undefined) {
    entry = { variant: loadVariantOf(name), users: 0 };
    shared.set(name, entry);
  }
  entry.users += 1;
  const release = async () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(name);
    await entry.variant.close?.();
  };
  return { variant: entry.variant, release };
}

function loadVariantOf(name) {
  try {
    return require(`./variants/${name.slice(2)}`).load({ ...CONTEXT, artifact: (...words) => artifact(name, ...words) });
  } catch (error) {
    throw new Unavailable(`${packageName} cannot run at tier ${name}: ${error.message}`, { cause: error });
  }
}

module.exports = { choose };

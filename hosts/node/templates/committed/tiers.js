// Made by tierup; the same in every package.
//
// The tiers where nothing is built: 0 and 0:LABEL, the server's own functions.
'use strict';

const { RESERVED, readBaselines } = require('./baselines');
const { Unavailable } = require('./errors');
const { withFallbacks } = require('./fallbacks');
const { functions, packageName } = require('./types');
const baselineVariant = require('./variants/baseline');

const REASON = 'no variant is built here: run `tierup build`';

const said = new Set();

/** Loads the tier that was requested: `{ tier, variant, release, asked, instead }`. */
function choose(options) {
  const baselines = readBaselines(options);
  const asked = options.tier ?? process.env.TIERUP_TIER ?? '';
  if (process.env.TIERUP_ROLLOUT) say(`${packageName}: TIERUP_ROLLOUT is not obeyed: ${REASON}`);
  if (typeof asked !== 'string') throw new TypeError(`tier must be a string such as '3:native', not a ${typeof asked}`);
  const first = () => (asked === '' ? unasked(baselines) : { ...load(asked, baselines), instead: '' });
  return { ...withFallbacks(first, (name) => load(name, baselines)), asked };
}

/** Tier 0, although nobody asked for it. */
function unasked(baselines) {
  if (!baselines.has('')) throw new Unavailable(`${packageName} has nothing to run: it has no baseline, and ${REASON}`);
  const instead = `${packageName}: your own code runs, at tier 0, as ${REASON}`;
  say(instead);
  return { ...load('0', baselines), instead };
}

function isBaseline(asked) {
  return asked === '0' || (asked.startsWith('0:') && !RESERVED.includes(asked.slice(2)));
}

function load(name, baselines) {
  if (!isBaseline(name)) throw new Unavailable(`${packageName} cannot run at tier ${name}: ${REASON}`);
  const label = name.slice(2);
  const baseline = baselines.get(label);
  if (baseline === undefined) {
    const option = label === '' ? 'baseline' : `baselines.${label}`;
    throw new Error(`tier ${name} needs the function that ${packageName} replaces: pass it as with({ ${option} })`);
  }
  return { tier: name, variant: baselineVariant.load({ functions }, baseline), release: async () => {} };
}

/** Says once on standard error what runs instead of Rust. */
function say(line) {
  if (!said.has(line)) console.warn(line);
  said.add(line);
}

module.exports = { choose };

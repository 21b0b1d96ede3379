// Made by tierup; the same in every package.
//
// What runs instead where the requested tier cannot: the rows that TIERUP_FALLBACK permits.
'use strict';

const { Unavailable } = require('./errors');

/** Every variant in Rust, the best first: the order in which one is chosen by default. */
const BEST_FIRST = ['3:native', '3:async', '2:core', '2:bindgen', '2:component', '1:pool', '1:spawn'];

/** The rows that TIERUP_FALLBACK permits, in order: none if it is empty or `0`, all for `1`, or those that it lists, as `2:core,0`. */
function fallbacks() {
  const listed = (process.env.TIERUP_FALLBACK ?? '').trim();
  if (listed === '0') return [];
  if (listed === '1') return [...BEST_FIRST, '0'];
  const names = listed.split(',').map((name) => name.trim()).filter((name) => name !== '');
  const wrong = names.find((name) => name !== '0' && !name.startsWith('0:') && !BEST_FIRST.includes(name));
  if (wrong !== undefined) throw new Error(`TIERUP_FALLBACK: ${wrong} is no variant: use 1, or a list of 0 and ${BEST_FIRST.join(', ')}`);
  return names;
}

const said = new Set();

/** What `first()` returns. If it throws Unavailable: what `load(name)` makes of the first fallback that can run, with the reason as `instead`. */
function withFallbacks(first, load) {
  const names = fallbacks();
  try {
    return first();
  } catch (error) {
    if (!(error instanceof Unavailable) || names.length === 0) throw error;
    return { ...fallBack(error, names, load), instead: inOneLine(error) };
  }
}

/** The first of these rows that loads, with one line on standard error. */
function fallBack(reason, names, load) {
  const others = [];
  for (const name of names) {
    try {
      const chosen = load(name);
      const line = `${inOneLine(reason)}; falling back to tier ${name}`;
      if (!said.has(line)) console.warn(line);
      said.add(line);
      return chosen;
    } catch (error) {
      others.push(`\n  ${inOneLine(error)}`);
    }
  }
  throw new Unavailable(`${reason.message}\nnor at what TIERUP_FALLBACK permits:${others.join('')}`, { cause: reason });
}

function inOneLine(error) {
  return error.message.replace(/\s+/g, ' ');
}

module.exports = { BEST_FIRST, withFallbacks };

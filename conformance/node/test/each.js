'use strict';
// Every variant that was built, and a describe block for each.

const { describe } = require('node:test');
const conformance = require('conformance');
const { variants } = require('conformance/built.json');

/** The variants that a call of the package can run, e.g. `3:native`. */
const built = Object.keys(variants).filter((name) => variants[name].built && name !== '4:server');
if (built.length < 7) throw new Error(`built are only ${built.join(', ')}: run \`tierup build\` first`);

/** Runs `body(package bound to the variant, name)` as a suite for every variant. */
function eachVariant(title, body, only = () => true) {
  for (const name of built.filter(only)) {
    describe(`${title}, ${name}`, () => body(() => conformance.with({ tier: name }), name));
  }
}

module.exports = { eachVariant, built };

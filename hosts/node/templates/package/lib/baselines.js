// Made by tierup; the same in every package.
//
// The server's own functions: the options `baseline` and `baselines` of `with`.
'use strict';

const { own } = require('./checks');
const { Unavailable } = require('./errors');
const maps = require('./maps');
const { functions, packageName } = require('./types');

/** The rows of tier 0 that are tierup's own. */
const RESERVED = ['free', 'memo', 'workers'];

const OPTIONS = ['baseline', 'baselines', 'tier'];

/** Checks these options. Returns the functions of each baseline by number, by label; `baseline` has the label `''`. */
function readBaselines(options) {
  if (typeof options !== 'object' || options === null) throw new TypeError('with() takes an object of options');
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name)) throw new TypeError(`with() knows ${OPTIONS.join(', ')}, but not ${name}`);
  }
  const baselines = new Map();
  if (options.baseline !== undefined) baselines.set('', readBaseline('baseline', options.baseline));
  for (const [label, given] of Object.entries(options.baselines ?? {})) {
    if (!/^[\w-]+$/.test(label) || RESERVED.includes(label)) {
      throw new TypeError(`${JSON.stringify(label)} cannot label a baseline: it takes letters, digits, - and _, and is not one of ${RESERVED.join(', ')}`);
    }
    baselines.set(label, readBaseline(`baselines.${label}`, given));
  }
  return baselines;
}

function readBaseline(place, given) {
  if (typeof given === 'function' && functions.length === 1) return [withMaps(functions[0], given)];
  if (given === null || (typeof given !== 'object' && typeof given !== 'function')) {
    throw new TypeError(`${place} must be a function or an object of functions, not ${given === null ? 'null' : typeof given}`);
  }
  if (!functions.some(({ name }) => functionOf(given, name))) {
    const names = functions.map(({ name }) => name).join(', ');
    throw new TypeError(`${place} has none of the functions that ${packageName} replaces: ${names}`);
  }
  return functions.map((definition) => {
    const { name } = definition;
    return withMaps(definition, (...args) => {
      if (!functionOf(given, name)) throw new Unavailable(`${place} has no function ${name}`);
      return given[name](...args);
    });
  });
}

/** The baseline of one function, with maps as at every tier. */
function withMaps({ convertMaps }, baseline) {
  return convertMaps === undefined ? baseline : maps.converted(baseline, convertMaps);
}

/** A function of the server. Inherited ones, such as `constructor`, do not count. */
function functionOf(given, name) {
  const value = name in Object.prototype ? own(given, name) : given[name];
  return typeof value === 'function' ? value : undefined;
}

module.exports = { RESERVED, readBaselines };

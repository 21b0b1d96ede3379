// Made by tierup; the same in every package.
//
// Maps in answers are objects without a prototype, with their keys in the order of their UTF-8 (except for keys that are array
// indices, which JavaScript puts first). Rust's answers are read so. A baseline's answers are converted here, so that code that
// reads an answer works at every tier. A value that does not fit the signature stays as it is.
'use strict';

const { compareKeys, isPlain } = require('./checks');
const { isPromise } = require('./variants/baseline');

/** A function that converts a map, and its values if they contain maps. */
function map(value = same) {
  return (given) => {
    if (!(given instanceof Map) && !isPlain(given)) return given;
    const list = given instanceof Map ? Array.from(given) : Object.entries(given);
    if (list.some(([key]) => typeof key !== 'string')) return given;
    list.sort((a, b) => compareKeys(a[0], b[0]));
    const object = Object.create(null);
    for (const [key, inner] of list) object[key] = value(inner);
    return object;
  };
}

function list(item) {
  return (given) => (Array.isArray(given) ? given.map((inner) => item(inner)) : given);
}

function optional(value) {
  return (given) => (given === null || given === undefined ? given : value(given));
}

/** Converts a tuple. `places` has `[index, convert]` for each item that contains maps. */
function tuple(places) {
  return (given) => {
    if (!Array.isArray(given)) return given;
    const copy = given.slice();
    for (const [place, convert] of places) copy[place] = convert(copy[place]);
    return copy;
  };
}

/** Converts a record. `fields` has `[name, convert]` for each field that contains maps. */
function record(fields) {
  return (given) => {
    if (!isPlain(given)) return given;
    const copy = { ...given };
    for (const [name, convert] of fields) {
      if (name in copy) copy[name] = convert(copy[name]);
    }
    return copy;
  };
}

/** Converts a value of an enum. `list` has `[type, convert]` for each case that contains maps. */
function cases(list) {
  const byType = new Map(list);
  return (given) => {
    const convert = isPlain(given) ? byType.get(given.type) : undefined;
    return convert === undefined ? given : { ...given, value: convert(given.value) };
  };
}

function same(value) {
  return value;
}

/** Wraps a baseline's function whose answers contain maps, so that they are converted. */
function converted(baseline, convert) {
  return (...args) => {
    const answer = baseline(...args);
    return isPromise(answer) ? answer.then(convert) : convert(answer);
  };
}

module.exports = { cases, converted, list, map, optional, record, tuple };

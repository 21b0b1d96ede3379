// Made by tierup; the same in every package.
//
// Maps in what functions answer: objects without a prototype, with their keys in the order of their UTF-8 (but for keys
// that are array indices, which JavaScript puts first). Rust's answers are read as such. A baseline's are converted here,
// so that code which reads an answer works at every tier; what does not look like the signature's type stays as it is.
'use strict';

const { compareKeys, isPlain } = require('./checks');
const { isPromise } = require('./variants/baseline');

/** A function that converts a map, and its values where they have maps in them. */
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

/** Of an array of several types, those with maps in them: `[place, convert]`. */
function tuple(places) {
  return (given) => {
    if (!Array.isArray(given)) return given;
    const copy = given.slice();
    for (const [place, convert] of places) copy[place] = convert(copy[place]);
    return copy;
  };
}

/** Of a record, the fields with maps in them: `[name, convert]`. */
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

/** Of an enum, the cases with maps in them: `[type, convert]`. */
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

/** The baseline of a function whose answers have maps in them. */
function converted(baseline, convert) {
  return (...args) => {
    const answer = baseline(...args);
    return isPromise(answer) ? answer.then(convert) : convert(answer);
  };
}

module.exports = { cases, converted, list, map, optional, record, tuple };

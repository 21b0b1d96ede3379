// Made by tierup from the signatures in your crate; changes here are lost at the next build.
//
// `2:component`: a component (WIT in .tierup/component/wit/world.wit), which jco has turned into JavaScript.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { array, bytes, entries, expected, object, outside, own, refusal, text, tuple, within } = require('../checks');
const { CallError, PanicError, TransportError } = require('../errors');

/** An instance with more memory than this is not kept, because Wasm memory never shrinks. */
const LARGEST_MEMORY = 256 << 20;

function load(context) {
  const script = context.artifact('component/component.js');
  const { Failed, abi, instantiate } = require(script);
  context.checkAbi(abi);
  const coreModule = modulesBeside(script);

  /** One instance. It serves one call at a time. */
  function start() {
    const instance = { calls: undefined, memory: undefined, panic: undefined };
    const imports = { panicked: { default: (message) => (instance.panic = message) } };
    const instantiateCore = (module, coreImports) => {
      const core = new WebAssembly.Instance(module, coreImports);
      if (core.exports.memory !== undefined) instance.memory = core.exports.memory;
      return core;
    };
    const { functions } = instantiate(coreModule, imports, instantiateCore);
    instance.calls = FUNCTIONS.map(({ exported }) => functions[exported]);
    return instance;
  }

  let current = start();

  function call(number, args) {
    const { lower, lift } = FUNCTIONS[number];
    const lowered = withName(context.functions[number].name, lower, args);
    if (current === null) current = start();
    const instance = current;
    let answer;
    try {
      answer = instance.calls[number](...lowered);
    } catch (error) {
      // After a trap, the memory is in an unknown state.
      current = null;
      if (instance.panic !== undefined) throw new PanicError(instance.panic);
      throw new PanicError(`the Wasm module trapped: ${error.message}`, { cause: error });
    }
    if (instance.memory.buffer.byteLength > LARGEST_MEMORY) current = null;
    if (answer instanceof Failed) throw new CallError(answer.message);
    return lift(answer);
  }

  return { call, callSync: call };
}

/** Compiles the core modules beside a script, each once for all instances. */
function modulesBeside(script) {
  const modules = new Map();
  return (name) => {
    if (!modules.has(name)) {
      modules.set(name, new WebAssembly.Module(fs.readFileSync(path.join(path.dirname(script), name))));
    }
    return modules.get(name);
  };
}

/** The message of `2:core` for a size that its module refuses. */
const TOO_LARGE = Symbol('a size does not fit this machine');

function withName(name, lower, args) {
  try {
    return lower(args);
  } catch (error) {
    throw error === TOO_LARGE ? new RangeError(`${name}: ${TOO_LARGE.description}`) : error;
  }
}

// Into the component: each of these checks a value and returns what jco expects for it.

function argument(name, value, lower) {
  try {
    return lower(value);
  } catch (error) {
    throw refusal(name, error);
  }
}

function field(value, name, lower) {
  try {
    return lower(value[name]);
  } catch (error) {
    throw within(`.${name}`, error);
  }
}

function ownField(value, name, lower) {
  try {
    return lower(own(value, name));
  } catch (error) {
    throw within(`.${name}`, error);
  }
}

function item(value, at, lower) {
  try {
    return lower(value[at]);
  } catch (error) {
    throw within(`[${at}]`, error);
  }
}

function boolean(value) {
  if (typeof value !== 'boolean') throw expected('a boolean', value);
  return value;
}

function number(value) {
  if (typeof value !== 'number') throw expected('a number', value);
  return value;
}

function whole(least, most) {
  const what = `a whole number from ${least} to ${most}`;
  return (value) => {
    if (typeof value !== 'number') throw expected(what, value);
    if (!(Number.isInteger(value) && value >= least && value <= most)) throw outside(what, value);
    return value;
  };
}

const i8 = whole(-0x80, 0x7f);
const i16 = whole(-0x8000, 0x7fff);
const i32 = whole(-0x80000000, 0x7fffffff);
const u8 = whole(0, 0xff);
const u16 = whole(0, 0xffff);
const u32 = whole(0, 0xffffffff);

/** A 64-bit number is a BigInt, or an ordinary number up to 2^53, below which these are exact. */
function wide(what, fit, least) {
  return (value) => {
    if (typeof value === 'bigint') {
      if (fit(64, value) !== value) throw outside(what, value);
      return value;
    }
    if (typeof value !== 'number') throw expected(`${what} or a safe integer`, value);
    if (!Number.isSafeInteger(value) || value < least) throw outside(`${what} or a safe integer`, value);
    return BigInt(value);
  };
}

const i64 = wide('a BigInt from -2^63 to 2^63 - 1', BigInt.asIntN, Number.MIN_SAFE_INTEGER);
const u64 = wide('a BigInt from 0 to 2^64 - 1', BigInt.asUintN, 0);

/** A size is a 64-bit number in the package, and a 32-bit number in Wasm. */
function size(check, fit) {
  return (value) => {
    const checked = check(value);
    if (fit(32, checked) !== checked) throw TOO_LARGE;
    return checked;
  };
}

const isize = size(i64, BigInt.asIntN);
const usize = size(u64, BigInt.asUintN);

function optional(value, lower) {
  return value === null || value === undefined ? undefined : lower(value);
}

/** Lowers the items of an array into another: an empty one, or a typed one of that length. */
function list(value, lower, lowered) {
  const { length } = array(value);
  for (let at = 0; at < length; at += 1) lowered[at] = item(value, at, lower);
  return lowered;
}

function map(value, lower) {
  return entries(value).map(([key, inner]) => {
    try {
      return [key, lower(inner)];
    } catch (error) {
      throw within(`[${JSON.stringify(key)}]`, error);
    }
  });
}

// Out of the component.

function same(value) {
  return value;
}

function orNull(value) {
  return value === undefined ? null : value;
}

function buffer(value) {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** A map as an object without a prototype, so that every key is an ordinary one. */
function mapOf(pairs, lift) {
  const value = Object.create(null);
  for (const [key, inner] of pairs) value[key] = lift(inner);
  return value;
}

/** An ordinary array with the items of a typed one. */
function plainArray(value) {
  return Array.from(value);
}

{{conversions}}

module.exports = { load };

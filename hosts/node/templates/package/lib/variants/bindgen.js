// Made by tierup; the same in every package.
//
// `2:bindgen`: a Wasm module bound by wasm-bindgen. If a function has only text and bytes, they are passed as they are.
'use strict';

const { readAnswer } = require('../answers');
const { Desk } = require('../desk');
const { CallError, TransportError } = require('../errors');
const { withWriter } = require('../wire');

// The ending of a direct call, as the desk stores it.
const NOTHING = 0;
const TEXT = 1;
const BYTES = 2;
const ERROR = 3;

function load(context) {
  const module = require(context.artifact('bindgen/bindgen.js'));
  context.checkAbi(module.abi());
  const desk = new Desk(module);
  const direct = context.functions.map(({ direct }, number) => (direct ? byLengths(module[`f${number}`]) : undefined));

  function call(number, args) {
    const definition = context.functions[number];
    if (direct[number] !== undefined) return callDirectly(direct[number], definition.prepare(args));
    // The arguments are written elsewhere first, because a getter among them may call a function, which uses the desk.
    return withWriter((writer) => {
      definition.writeArguments(writer, args);
      const length = desk.put(writer.written());
      desk.enter(module.call, number, length);
      try {
        return readAnswer(definition, desk.answer());
      } finally {
        desk.clear();
      }
    });
  }

  function callDirectly(exported, prepared) {
    const lengths = desk.putAll(prepared);
    const kind = desk.enter(exported, lengths);
    try {
      return valueOf(kind, desk.answer());
    } finally {
      desk.clear();
    }
  }

  return { call, callSync: call };
}

/** A function that passes an array of lengths to an export. A single one is not spread, which costs too much. */
function byLengths(exported) {
  return exported.length === 1 ? (lengths) => exported(lengths[0]) : (lengths) => exported(...lengths);
}

/** The value of a direct call, read from the desk. */
function valueOf(kind, from) {
  const length = from.end - from.position;
  switch (kind) {
    case NOTHING:
      return undefined;
    case TEXT:
      return from.textOf(length);
    case BYTES:
      return from.bytesOf(length);
    case ERROR:
      throw new CallError(from.textOf(length));
    default:
      throw new TransportError(`the Wasm module answered with the unknown kind ${kind}`);
  }
}

module.exports = { load };

// Made by tierup; the same in every package.
//
// `2:bindgen`: a Wasm module bound by wasm-bindgen. Text and bytes go as they are where a function has nothing else.
'use strict';

const { readAnswer } = require('../answers');
const { Desk } = require('../desk');
const { CallError, TransportError } = require('../errors');
const { withWriter } = require('../wire');

// What a direct call leaves on the desk.
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
    // Written elsewhere first: a getter among the arguments may call a function, which then has the desk to itself.
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

/** An export that takes the lengths of its arguments as one array. To spread it costs more than most of a call. */
function byLengths(exported) {
  return exported.length === 1 ? (lengths) => exported(lengths[0]) : (lengths) => exported(...lengths);
}

/** What lies on the desk, as the value of a direct call. */
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

// Made by tierup; the same in every package.
//
// `2:bindgen`: a Wasm module bound by wasm-bindgen. Text and bytes go as they are where a function has nothing else.
'use strict';

const { readAnswerBytes } = require('../answers');
const { CallError, PanicError } = require('../errors');
const { withWriter } = require('../wire');

function load(context) {
  const module = require(context.artifact('bindgen/bindgen.js'));
  context.checkAbi(module.abi());
  const direct = context.functions.map((definition, number) => (definition.direct ? module[`f${number}`] : undefined));

  function call(number, args) {
    const definition = context.functions[number];
    if (direct[number] !== undefined) return callDirectly(direct[number], definition, definition.prepare(args));
    const answer = withWriter((writer) => {
      definition.writeArguments(writer, args);
      return guard(() => module.call(number, writer.written()));
    });
    return readAnswerBytes(definition, asBuffer(answer));
  }

  function callDirectly(exported, definition, prepared) {
    try {
      const value = guard(() => exported(...prepared));
      return value instanceof Uint8Array ? asBuffer(value) : value;
    } catch (error) {
      // A trap is a PanicError by now; anything else is the function's own error.
      throw error instanceof PanicError ? error : new CallError(error.message);
    }
  }

  /** A module that trapped would go on answering, with its memory as the trap left it: a fresh one takes its place. */
  function guard(enter) {
    try {
      return enter();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      const panic = lastPanic(error);
      module.__wbg_reset_state();
      throw panic;
    }
  }

  function lastPanic(error) {
    let message;
    try {
      message = module.lastPanic();
    } catch {
      // A module that is too broken to say why.
    }
    return new PanicError(message ?? `the Wasm module trapped: ${error.message}`, { cause: error });
  }

  return { call, callSync: call };
}

/** wasm-bindgen copies bytes out into an array of their own; a Buffer is a view of all of it. */
function asBuffer(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

module.exports = { load };

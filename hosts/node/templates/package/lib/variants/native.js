// Made by tierup; the same in every package.
//
// `3:native`: an addon of Node. If a function has only text and bytes, they are passed as they are.
'use strict';

const { readAnswer, readAnswerBytes } = require('../answers');
const { CallError, PanicError, TransportError } = require('../errors');
const { Reader, withWriter } = require('../wire');

/**
 * The addon writes short answers here and returns their length. They are copied or read before anything else is called. As
 * long as the longest Buffer that `Buffer.allocUnsafe` takes from its pool.
 */
const small = Buffer.allocUnsafeSlow(Buffer.poolSize >>> 1);
const smallReader = new Reader(small);

/** Loads the addon, for `3:async` too. */
function loadAddon(context) {
  const addon = context.artifact('native.node', (file) => require(file));
  context.checkAbi(addon.abi());
  return addon;
}

function load(context) {
  const addon = loadAddon(context);
  const direct = context.functions.map((definition, number) => (definition.direct ? addon[`f${number}`] : undefined));

  function call(number, args) {
    const definition = context.functions[number];
    const exported = direct[number];
    if (exported !== undefined) return callDirectly(exported, definition.prepare(args));
    const answer = withWriter((writer) => {
      definition.writeArguments(writer, args);
      return addon.call(number, writer.written(), small);
    });
    if (typeof answer !== 'number') return readAnswerBytes(definition, answer);
    smallReader.position = 0;
    smallReader.end = answer;
    return readAnswer(definition, smallReader);
  }

  return { call, callSync: call };
}

function callDirectly(exported, prepared) {
  // Functions that return no bytes ignore this buffer.
  prepared.push(small);
  let value;
  try {
    value = exported(...prepared);
  } catch (error) {
    throw failure(error);
  }
  return typeof value === 'number' ? copyOfSmall(value) : value;
}

function copyOfSmall(length) {
  const copy = Buffer.allocUnsafe(length);
  copy.set(new Uint8Array(small.buffer, 0, length));
  return copy;
}

/** The addon's exception as an error of this package. */
function failure(error) {
  if (error.code === 'TIERUP_ERR') return new CallError(error.message);
  if (error.code === 'TIERUP_PANIC') return new PanicError(error.message);
  return new TransportError(`the addon failed: ${error.message}`, { cause: error });
}

module.exports = { load, loadAddon };

// Made by tierup; the same in every package.
//
// `3:native`: an addon of Node. Text and bytes go as they are where a function has nothing else.
'use strict';

const { readAnswerBytes } = require('../answers');
const { CallError, PanicError, TransportError } = require('../errors');
const { withWriter } = require('../wire');

/** Loads the addon, for `3:async` too. */
function loadAddon(context) {
  const addon = require(context.artifact('native.node'));
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
      return addon.call(number, writer.written());
    });
    return readAnswerBytes(definition, answer);
  }

  return { call, callSync: call };
}

function callDirectly(exported, prepared) {
  try {
    return exported(...prepared);
  } catch (error) {
    throw failure(error);
  }
}

/** The addon's exception as an error of this package. */
function failure(error) {
  if (error.code === 'TIERUP_ERR') return new CallError(error.message);
  if (error.code === 'TIERUP_PANIC') return new PanicError(error.message);
  return new TransportError(`the addon failed: ${error.message}`, { cause: error });
}

module.exports = { load, loadAddon };

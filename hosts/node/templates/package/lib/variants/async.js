// Made by tierup; the same in every package.
//
// `3:async`: the addon on libuv's thread pool (UV_THREADPOOL_SIZE threads, four by default), so that a long call does not
// block the event loop. Synchronous calls are those of `3:native`.
'use strict';

const { readAnswerBytes } = require('../answers');
const { withWriter } = require('../wire');
const native = require('./native');

function load(context) {
  const addon = native.loadAddon(context);
  const { callSync } = native.load(context);

  async function call(number, args) {
    const definition = context.functions[number];
    // The addon copies the arguments before it returns, so the writer may be used again at once.
    const answer = withWriter((writer) => {
      definition.writeArguments(writer, args);
      return addon.callAsync(number, writer.written());
    });
    return readAnswerBytes(definition, await answer);
  }

  return { call, callSync };
}

module.exports = { load };

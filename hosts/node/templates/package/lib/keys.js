// Made by tierup; the same in every package.
//
// A key for the arguments of a call: their encoding, so that arguments which are the same in Rust have the same key.
'use strict';

const { withWriter } = require('./wire');

/** A key for these arguments; undefined if they do not fit the signature. */
function keyOf(definition, args) {
  try {
    if (definition.direct) {
      const prepared = definition.prepare(args);
      // A single text, the most common case, is its own key.
      if (prepared.length === 1 && typeof prepared[0] === 'string') return prepared[0];
    }
    return withWriter((writer) => {
      definition.writeArguments(writer, args);
      return writer.written().toString('latin1');
    });
  } catch {
    return undefined;
  }
}

module.exports = { keyOf };

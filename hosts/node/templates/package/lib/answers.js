// Made by tierup; the same in every package.
//
// An answer: one byte for how the call ended, then the value or a message.
'use strict';

const { CallError, PanicError, TransportError } = require('./errors');
const { Malformed, Reader } = require('./wire');

const OK = 0;
const ERROR = 1;
const PANIC = 2;
const REFUSED = 3;

/** Returns the value in an answer, or throws its error. `from` is a Reader at the answer's first byte. */
function readAnswer(definition, from) {
  try {
    const tag = from.case();
    if (tag === OK) {
      const value = definition.readOutput(from);
      from.finish();
      return value;
    }
    const message = from.text();
    from.finish();
    throw failure(tag, message, definition);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new TransportError(`cannot read the answer of ${definition.name}: ${error.message}`);
  }
}

function failure(tag, message, definition) {
  switch (tag) {
    case ERROR:
      return new CallError(message);
    case PANIC:
      return new PanicError(message);
    case REFUSED:
      // The only value that passes the checks here and is refused there: a size that 32-bit Wasm cannot hold.
      return new RangeError(`${definition.name}: ${message}`);
    default:
      return new Malformed(`${tag} is not a valid first byte of an answer`);
  }
}

/** Reads an answer from bytes that hold nothing else. `owned` has the meaning that it has for `Reader`. */
function readAnswerBytes(definition, bytes, owned = true) {
  return readAnswer(definition, new Reader(bytes, 0, bytes.length, owned));
}

module.exports = { readAnswer, readAnswerBytes };

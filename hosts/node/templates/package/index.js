// Made by tierup; the same in every package. What is exported: see index.d.ts.
'use strict';

const { bind, lazyBinding } = require('./lib/binding');
const { CallError, CallTimeoutError, PanicError, TransportError } = require('./lib/errors');

// `defineProperties` rather than a copy: `tier` is a getter, and reading it would load a variant.
module.exports = Object.defineProperties(lazyBinding(), {
  with: { value: bind, enumerable: true },
  CallError: { value: CallError, enumerable: true },
  CallTimeoutError: { value: CallTimeoutError, enumerable: true },
  PanicError: { value: PanicError, enumerable: true },
  TransportError: { value: TransportError, enumerable: true },
});

// Made by tierup; the same in every package.
'use strict';

/** The function itself returned an error, with its message. */
class CallError extends Error {
  constructor(message, options) {
    super(message, options);
    this.code = 'TIERUP_ERR';
  }
}

/** The function panicked, or a Wasm module trapped. The next call is unharmed. */
class PanicError extends Error {
  constructor(message, options) {
    super(message, options);
    this.code = 'TIERUP_PANIC';
  }
}

/** The call or its answer was lost: a process died, or a binary is out of date. */
class TransportError extends Error {
  constructor(message, options) {
    super(message, options);
    this.code = 'TIERUP_TRANSPORT';
  }
}

/** The call was not answered within TIERUP_CALL_TIMEOUT. */
class CallTimeoutError extends TransportError {
  constructor(message, options) {
    super(message, options);
    this.code = 'TIERUP_TIMEOUT';
  }
}

/** A variant cannot run here, and why. */
class Unavailable extends Error {
  constructor(message, options) {
    super(message, options);
    this.code = 'TIERUP_UNAVAILABLE';
  }
}
Object.defineProperty(Unavailable.prototype, 'name', { value: 'Error', configurable: true, writable: true });

// On the prototype, like the names of JavaScript's own errors: neither enumerable nor in every instance.
for (const ErrorClass of [CallError, CallTimeoutError, PanicError, TransportError]) {
  Object.defineProperty(ErrorClass.prototype, 'name', { value: ErrorClass.name, configurable: true, writable: true });
}

module.exports = { CallError, CallTimeoutError, PanicError, TransportError, Unavailable };

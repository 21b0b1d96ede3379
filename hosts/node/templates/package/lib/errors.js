// Made by tierup; the same in every package.
'use strict';

/** The function itself answered with an error: `message` is what it says. */
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

/** The call did not get through, or its answer did not come back: a process died, a binary is out of date. */
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

// On the prototype, as the names of JavaScript's own errors are: neither enumerable nor in every instance.
for (const ErrorClass of [CallError, CallTimeoutError, PanicError, TransportError]) {
  Object.defineProperty(ErrorClass.prototype, 'name', { value: ErrorClass.name, configurable: true, writable: true });
}

module.exports = { CallError, CallTimeoutError, PanicError, TransportError };

'use strict';
// What a server could hand over: some of the functions of `conformance/`, in JavaScript.

module.exports = {
  echoText: (text) => text,
  echoBytes: (bytes) => bytes,
  fail(words) {
    throw new Error(words);
  },
};

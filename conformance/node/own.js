'use strict';
// The server's own functions (tier 0): some of those in Rust. They count their calls.

let calls = 0;

function counted(own) {
  return (value) => {
    calls += 1;
    return own(value);
  };
}

const echo = counted((value) => value);

module.exports = {
  echoText: echo,
  echoOwnedText: echo,
  echoTexts: echo,
  echoOptionText: echo,
  echoPoint: echo,
  doNothing: counted(() => undefined),
  fail: counted((words) => {
    throw new RangeError(words);
  }),
  countCalls: () => BigInt(calls),
};

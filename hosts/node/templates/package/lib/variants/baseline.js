// Made by tierup; the same in every package.
//
// `0` and `0:LABEL`: the server's own functions. Arguments, answers and errors pass as they are, except for maps in answers
// (`../maps.js`).
'use strict';

/** `baseline`: the server's functions, by the number of the function that each one replaces. */
function load(context, baseline) {
  function callSync(number, args) {
    const answer = baseline[number](...args);
    if (!isPromise(answer)) return answer;
    answer.then(undefined, () => {});
    const { name } = context.functions[number];
    throw new Error(`the baseline of ${name} is asynchronous: call ${name}() instead of ${name}Sync()`);
  }

  return { call: (number, args) => baseline[number](...args), callSync };
}

function isPromise(value) {
  return typeof value === 'object' && value !== null && typeof value.then === 'function';
}

module.exports = { isPromise, load };

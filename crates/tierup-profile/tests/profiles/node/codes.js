// Encodes in steps, each of which is a task of its own.
function step(text, round) {
  let code = '';
  for (const character of text) code += String.fromCharCode(33 + ((character.charCodeAt(0) * 7 + round) % 90));
  return code;
}

exports.encode = (text) => new Promise((resolve) => {
  let round = 0;
  const next = (part) => {
    if (round === 20) resolve(part);
    else {
      round += 1;
      setImmediate(() => next(step(part, round)));
    }
  };
  next(step(text, 0));
});

// Made by tierup; the same in every package.
//
// `[health]` of tierup.toml: a golden call, and the SHA-256 of each answer that is right.
'use strict';

const { createHash } = require('node:crypto');
const { refusal } = require('./checks');
const { functions, health, packageName } = require('./types');
const { Reader, withWriter } = require('./wire');

/** Makes the golden call; rejects if its answer is wrong. */
async function checkHealth(binding) {
  if (health === null) throw new Error(`${packageName} has no golden call: give it a [health] in tierup.toml`);
  const definition = functions[health.function];
  const args = definition.readArguments(new Reader(Buffer.from(health.arguments, 'base64')));
  const where = `the golden call of ${definition.name} at tier ${binding.tier}`;
  let answer;
  try {
    answer = await binding[definition.name](...args);
  } catch (error) {
    throw new Error(`${where} failed: ${error.message}`, { cause: error });
  }
  const digest = digestOf(definition, answer);
  if (!health.sha256.includes(digest)) {
    throw new Error(`${where} gave a wrong answer: its SHA-256 is ${digest}, expected ${health.sha256.join(' or ')}`);
  }
}

/** The SHA-256 of text or bytes themselves, otherwise of the encoded value. */
function digestOf(definition, answer) {
  return withWriter((writer) => {
    try {
      definition.writeOutput(writer, answer);
    } catch (error) {
      throw refusal('answer', error);
    }
    const encoded = writer.written();
    const content = definition.isRaw ? encoded.subarray(4) : encoded;
    return createHash('sha256').update(content).digest('hex');
  });
}

module.exports = { checkHealth };

'use strict';
// Many calls at once and in a row: no call is lost, and nothing leaks.

const { it, after } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { eachVariant } = require('./each.js');

/** Resident memory of this process in MiB, after a garbage collection if one can be requested. */
function residentMebibytes() {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
}

eachVariant('load', (bind, name) => {
  const c = bind();
  after(() => c.close());
  // At 1:spawn each call starts a process, so that many calls would take minutes.
  const many = name === '1:spawn' ? 500 : 10_000;

  it(`${many} calls at once are all answered`, async () => {
    const answers = await Promise.all(Array.from({ length: many }, (_, i) => c.echoText(`call ${i}`)));
    answers.forEach((answer, i) => assert.equal(answer, `call ${i}`));
  });

  it('memory is flat over many calls, errors and panics among them', async () => {
    // A round has a thousand calls. At 1:spawn a leak would end with its process, so six rounds are enough.
    const rounds = name === '1:spawn' ? 6 : process.env.TIERUP_LONG === '1' ? 100 : 20;
    const bytes = Buffer.alloc(10_240, 7);
    const round = async () => {
      for (let batch = 0; batch < (name === '1:spawn' ? 1 : 20); batch++) {
        const calls = Array.from({ length: 50 }, (_, i) => {
          if (i === 48) return c.fail('words').catch(() => {});
          if (i === 49) return batch < 10 ? c.panicWith('words').catch(() => {}) : c.echoPoint({ x: 1, y: 2 });
          return c.echoBytes(bytes);
        });
        await Promise.all(calls);
      }
    };
    for (let i = 0; i < rounds / 4; i++) await round();
    const before = residentMebibytes();
    for (let i = 0; i < rounds; i++) await round();
    const grown = residentMebibytes() - before;
    // If each call leaked only the content, that would be 200 MiB.
    assert.ok(grown < 48, `${grown.toFixed(1)} MiB more after ${rounds} rounds`);
  });

  it('file descriptors are given back', async () => {
    if (!fs.existsSync('/proc/self/fd')) return;
    const open = () => fs.readdirSync('/proc/self/fd').length;
    await c.echoText('warm');
    const before = open();
    await Promise.all(Array.from({ length: 100 }, () => c.echoText('x')));
    assert.ok(open() <= before + 2, `${before} open before, ${open()} after`);
  });
});

'use strict';
// Errors, panics and lost processes: the caller gets an error, and the next call works.

const { it, after } = require('node:test');
const assert = require('node:assert/strict');
const { CallError, PanicError } = require('conformance');
const { eachVariant, inProcess } = require('./each.js');
const { programs } = require('./programs.js');

eachVariant('failures', (bind, name) => {
  const c = bind();
  after(() => c.close());

  it("the function's error is an Error with its words", async () => {
    for (const words of ['plain', '', 'ä\n"quoted" 😀']) {
      await assert.rejects(c.fail(words), (error) => {
        assert.ok(error instanceof CallError && error instanceof Error);
        assert.equal(error.code, 'TIERUP_ERR');
        assert.equal(error.message, words);
        return true;
      });
    }
    await assert.rejects(c.checkLimit(3, 2), { message: 'more than 2 is too large' });
    assert.equal(await c.checkLimit(1, 2), undefined);
    await assert.rejects(c.parseNumber('x'), CallError);
    assert.equal(await c.parseNumber(' 12 '), 12n);
  });

  it('a panic is an Error, and the next call works', async () => {
    for (let round = 0; round < 20; round++) {
      await assert.rejects(c.panicWith(`round ${round}`), (error) => {
        assert.ok(error instanceof PanicError && error instanceof Error);
        assert.equal(error.code, 'TIERUP_PANIC');
        assert.match(error.message, new RegExp(`round ${round}\\b`));
        return true;
      });
      await assert.rejects(c.item([1, 2], 7), PanicError);
      assert.equal(await c.item([1, 2], 1), 2);
      await assert.rejects(c.panicIf(true, 'x'), PanicError);
      assert.equal(await c.panicIf(false, 'x'), 'X');
    }
  });

  it('panics among 500 calls at once harm only themselves', async () => {
    const calls = Array.from({ length: 500 }, (_, i) => c.panicIf(i % 10 === 0, `text ${i}`));
    const outcomes = await Promise.allSettled(calls);
    outcomes.forEach(({ status, value, reason }, i) => {
      if (i % 10 === 0) assert.ok(status === 'rejected' && reason instanceof PanicError, `${i}: ${status}`);
      else assert.equal(value, `TEXT ${i}`);
    });
  });

  it('what the function prints does not get into its answer', async () => {
    assert.equal(await c.printAndReturn('abc'), 'cba');
    assert.equal(await c.printAndReturn('x\n'.repeat(1000)), '\nx'.repeat(1000));
  });

  it('the synchronous form throws the same, where there is one', async () => {
    if (name === '1:pool') {
      assert.throws(() => c.echoTextSync('x'), /1:pool/);
      return;
    }
    assert.equal(c.echoTextSync('x'), 'x');
    assert.throws(() => c.failSync('words'), { code: 'TIERUP_ERR', message: 'words' });
    assert.throws(() => c.panicWithSync('words'), PanicError);
    assert.throws(() => c.echoTextSync(1), TypeError);
    assert.equal(c.echoTextSync('y'), 'y');
  });

  it('wrong arguments never throw from the Promise form', async () => {
    const promise = c.echoText(Symbol('no text'));
    await assert.rejects(promise, TypeError);
  });
});

eachVariant(
  'a killed worker',
  (bind) => {
    it('is replaced; what it did not answer is answered or rejected', async () => {
      const c = bind();
      assert.equal(await c.echoText('before'), 'before');
      const busy = Array.from({ length: 200 }, (_, i) => c.churn(BigInt(i), 200_000));
      for (const worker of programs('--tierup-connection')) process.kill(worker, 'SIGKILL');
      const outcomes = await Promise.allSettled(busy);
      const lost = outcomes.filter(({ status }) => status === 'rejected');
      assert.ok(lost.every(({ reason }) => reason.code === 'TIERUP_TRANSPORT'), String(lost[0]?.reason));
      assert.ok(lost.length < 50, `${lost.length} calls were lost`);
      assert.equal(await c.echoText('after'), 'after');
      await c.close();
    });
  },
  (name) => name === '1:pool',
);

eachVariant(
  'state',
  (bind) => {
    it('a trapped instance is thrown away', async () => {
      const c = bind();
      await c.countCalls();
      const before = await c.countCalls();
      await assert.rejects(c.panicWith('x'), PanicError);
      assert.equal(await c.countCalls(), 1n, `the instance that trapped after ${before} calls still answers`);
      await c.close();
    });
  },
  (name) => inProcess(name) && name.startsWith('2:'),
);

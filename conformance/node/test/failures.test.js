'use strict';
// Errors as JavaScript sees them. What all languages promise is in `crates/tierup/tests/conformance/failures.rs`.

const { it, after } = require('node:test');
const assert = require('node:assert/strict');
const { CallError, PanicError } = require('conformance');
const { eachVariant } = require('./each.js');

eachVariant('failures', (bind, name) => {
  const c = bind();
  after(() => c.close());

  it('errors have classes and codes', async () => {
    await assert.rejects(c.fail('x'), (error) => error instanceof CallError && error instanceof Error && error.code === 'TIERUP_ERR');
    await assert.rejects(c.panicWith('x'), (error) => error instanceof PanicError && error instanceof Error && error.code === 'TIERUP_PANIC');
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

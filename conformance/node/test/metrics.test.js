'use strict';
// metrics() as JavaScript sees it. What all languages promise is in `crates/tierup/tests/conformance/metrics.rs`.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { Registry } = require('prom-client');
const conformance = require('conformance');
const { abi } = require('conformance/built.json');
const { registerMetrics } = require('../metrics.js');
const { eachVariant } = require('./each.js');

const NONE = { calls: 0, errors: 0, panics: 0, timeouts: 0, lost: 0 };

/** What a binding counted so far. */
function counts(binding) {
  const { calls, errors, panics, timeouts, lost } = binding.metrics();
  return { calls, errors, panics, timeouts, lost };
}

eachVariant('metrics', (bind, tier) => {
  it('synchronous calls count, and those with wrong arguments', async () => {
    const c = bind();
    await assert.rejects(c.echoText(1), TypeError);
    if (tier !== '1:pool') {
      c.echoTextSync('a');
      assert.throws(() => c.failSync('x'), conformance.CallError);
      assert.throws(() => c.panicWithSync('x'), conformance.PanicError);
      assert.throws(() => c.echoTextSync(1), TypeError);
    }
    await c.close();
    assert.deepEqual(counts(c), tier === '1:pool' ? { ...NONE, calls: 1 } : { ...NONE, calls: 5, errors: 1, panics: 1 });
  });
});

it("whatever the server's own code throws is its error", async () => {
  const own = {
    echoText: async (text) => text,
    fail() {
      throw new TypeError('mine');
    },
    panicWith: async () => assert.fail('mine'),
  };
  const c = conformance.with({ tier: '0', baseline: own });
  for (const text of ['a', 'b', 'c']) await c.echoText(text);
  await assert.rejects(c.fail('x'), TypeError);
  assert.throws(() => c.failSync('x'), TypeError);
  await assert.rejects(c.panicWith('x'), assert.AssertionError);
  assert.deepEqual(c.metrics(), { package: 'conformance', tier: '0', asked: '0', instead: '', abi, ...NONE, calls: 6, errors: 3 });
});

it('each binding counts its own calls; the package itself is one', async () => {
  const [one, two] = [conformance.with(), conformance.with()];
  await Promise.all([one.echoText('a'), two.echoText('a'), two.echoText('a')]);
  const { calls } = conformance.metrics();
  await conformance.echoText('a');
  assert.deepEqual([one, two, conformance].map((c) => c.metrics().calls), [1, 2, calls + 1]);
  assert.deepEqual([one.metrics().asked, one.metrics().tier], ['', one.tier]);
});

it("prom-client's registry has them", async () => {
  const registry = new Registry();
  const c = conformance.with({ tier: '3:native' });
  registerMetrics(c, [registry]);
  await registry.metrics();
  c.echoTextSync('a');
  await assert.rejects(c.fail('x'), conformance.CallError);
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'tierup_calls_total 2',
    'tierup_errors_total 1',
    'tierup_panics_total 0',
    'tierup_timeouts_total 0',
    'tierup_lost_total 0',
    `tierup_info{package="conformance",tier="3:native",asked="3:native",instead="",abi="${abi}"} 1`,
  ]) {
    assert.ok(lines.includes(line), `${line} is not in\n${lines.join('\n')}`);
  }
});

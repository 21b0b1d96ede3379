'use strict';
// metrics(): which tier runs and why, and how the calls ended.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { Registry } = require('prom-client');
const conformance = require('conformance');
const { abi } = require('conformance/built.json');
const { registerMetrics } = require('../metrics.js');
const { eachVariant } = require('./each.js');
const { programs } = require('./programs.js');

const NONE = { calls: 0, errors: 0, panics: 0, timeouts: 0, lost: 0 };

/** What a binding counted so far. */
function counts(binding) {
  const { calls, errors, panics, timeouts, lost } = binding.metrics();
  return { calls, errors, panics, timeouts, lost };
}

/** Binds with variables that hold for this binding only. */
function bindWith(variables, options) {
  Object.assign(process.env, variables);
  try {
    return conformance.with(options);
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

eachVariant('metrics', (bind, tier) => {
  it('tells what runs, and counts calls by how they end', async () => {
    const c = bind();
    const said = { package: 'conformance', tier, asked: tier, instead: '', abi };
    assert.deepEqual(c.metrics(), { ...said, ...NONE });
    for (const text of ['a', 'b', 'c']) await c.echoText(text);
    await assert.rejects(c.fail('x'), conformance.CallError);
    await assert.rejects(c.panicWith('x'), conformance.PanicError);
    await assert.rejects(c.echoText(1), TypeError);
    const counted = { ...NONE, calls: 6, errors: 1, panics: 1 };
    assert.deepEqual(c.metrics(), { ...said, ...counted });
    if (tier === '1:pool') assert.throws(() => c.echoTextSync('a'), /not supported/);
    else {
      c.echoTextSync('a');
      assert.throws(() => c.failSync('x'), conformance.CallError);
      assert.throws(() => c.panicWithSync('x'), conformance.PanicError);
      assert.throws(() => c.echoTextSync(1), TypeError);
      Object.assign(counted, { calls: 10, errors: 2, panics: 2 });
    }
    const many = Array.from({ length: 100 }, (_, i) => c.panicIf(i % 10 === 0, 'x'));
    await Promise.allSettled(many);
    counted.calls += 100;
    counted.panics += 10;
    assert.deepEqual(counts(c), counted);
    await c.close();
    assert.deepEqual(counts(c), counted, 'after close()');
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

it('TIERUP_FALLBACK: why what was asked for does not run', () => {
  const c = bindWith({ TIERUP_FALLBACK: '1' }, { tier: '0:workers', baseline: { echoText: (text) => text } });
  const { tier, asked, instead } = c.metrics();
  assert.deepEqual([tier, asked], ['3:native', '0:workers']);
  assert.match(instead, /^conformance cannot run at tier 0:workers: /);
});

it('1:pool: a call that took too long, and one whose worker was killed', async () => {
  const c = bindWith({ TIERUP_WORKERS: '1', TIERUP_CALL_TIMEOUT: '2' }, { tier: '1:pool' });
  await c.ready();
  await assert.rejects(c.hangOn('really'), conformance.CallTimeoutError);
  await c.echoText('a');
  const lost = assert.rejects(c.hangOn('really'), { code: 'TIERUP_TRANSPORT' });
  for (const worker of programs('--tierup-connection')) process.kill(worker, 'SIGKILL');
  await lost;
  assert.deepEqual(counts(c), { ...NONE, calls: 3, timeouts: 1, lost: 1 });
  await c.close();
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

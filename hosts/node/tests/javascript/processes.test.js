'use strict';
// `1:spawn` and `1:pool`, with a program in JavaScript that behaves like the real one, or in wrong ways.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { abi, packageWith } = require('./fixture.js');
const { both, limited, program } = require('./programs.js');

const package_ = packageWith(both, abi, program);
const { CallError, PanicError, TransportError } = package_;

for (const tier of ['1:spawn', '1:pool']) {
  test(`${tier}: answers, errors, panics`, async () => {
    const { echoText, echoBool, close } = package_.with({ tier });
    assert.equal(await echoText('ä€😀'), 'ä€😀');
    assert.equal(await echoBool(false), true);
    await assert.rejects(echoText('error'), (error) => error instanceof CallError && error.message === 'no');
    await assert.rejects(echoText('panic'), (error) => error instanceof PanicError && error.message === 'no');
    await assert.rejects(echoText('garbage'), /answer of echoText: .*too early/);
    await assert.rejects(echoText(7), { name: 'TypeError', message: 'text: expected a string, got 7' });
    const long = 'x'.repeat(1 << 24);
    assert.equal(await echoText(long), long);
    await close();
  });

  test(`${tier}: a process that ends is an error`, async () => {
    const { echoText, close } = package_.with({ tier });
    const isLost = (how) => (error) => {
      assert.ok(error instanceof TransportError);
      assert.match(error.message, tier === '1:pool' ? /conformance ended before it answered: standard error says why$/ : how);
      return true;
    };
    await assert.rejects(echoText('exit'), isLost(/conformance ended with exit code 7: last words$/));
    await assert.rejects(echoText('kill'), isLost(/conformance was ended by SIGKILL$/));
    assert.equal(await echoText('next'), 'next');
    await close();
  });
}

test('1:spawn: synchronous', () => {
  const { echoTextSync } = package_.with({ tier: '1:spawn' });
  assert.equal(echoTextSync('x'), 'x');
  assert.throws(() => echoTextSync('error'), CallError);
  assert.throws(() => echoTextSync('exit'), /exit code 7: last words/);
  assert.throws(() => echoTextSync(7), TypeError);
});

test('1:pool: not synchronous', async () => {
  const { echoTextSync, close } = package_.with({ tier: '1:pool' });
  assert.throws(() => echoTextSync('x'), /echoTextSync\(\) is not supported at tier 1:pool: call echoText\(\) instead/);
  await close();
});

test('1:pool: only the call that was executed is lost with its worker', async () => {
  process.env.TIERUP_WORKERS = '2';
  const { echoText, close } = package_.with({ tier: '1:pool' });
  const calls = Array.from({ length: 100 }, (_, i) => echoText(i % 10 === 3 ? 'kill' : `call ${i}`));
  const outcomes = await Promise.allSettled(calls);
  outcomes.forEach(({ status, value, reason }, i) => {
    if (i % 10 === 3) assert.match(String(reason), /ended before it answered/, `${i}: ${status}`);
    else assert.equal(value, `call ${i}`, String(reason));
  });
  await close();
  delete process.env.TIERUP_WORKERS;
});

test('1:pool: calls go to the least busy worker', async () => {
  process.env.TIERUP_WORKERS = '2';
  const { echoText, ready, close } = package_.with({ tier: '1:pool' });
  await ready();
  const slow = echoText('slow');
  const start = Date.now();
  await Promise.all([echoText('a'), echoText('b').then(() => echoText('c'))]);
  assert.ok(Date.now() - start < 250, 'a free worker was not used');
  await slow;
  await close();
  delete process.env.TIERUP_WORKERS;
});

test('1:pool: close answers what is under way', async () => {
  const { echoText, close } = package_.with({ tier: '1:pool' });
  const calls = Array.from({ length: 20 }, (_, i) => echoText(String(i)));
  await close();
  assert.equal((await Promise.all(calls)).length, 20);
  await assert.rejects(echoText('late'), /the pool is closed/);
  // Another binding starts its own pool.
  const again = package_.with({ tier: '1:pool' });
  assert.equal(await again.echoText('x'), 'x');
  await again.close();
});

test('1:pool: one pool for all bindings of a thread', async () => {
  const [first, second] = [package_.with({ tier: '1:pool' }), package_.with({ tier: '1:pool' })];
  await first.close();
  await first.close();
  assert.equal(await second.echoText('still there'), 'still there');
  await second.close();
});

test('1:pool: a companion that cannot start is an error until it can', async () => {
  const broken = "if (fs.existsSync(__filename + '-broken')) process.exit(2);";
  const binding = limited('1:pool', {}, program.replace('/* before */', broken));
  const mark = path.join(binding.folder, 'artifacts/conformance-broken');
  fs.writeFileSync(mark, '');
  const isTold = (error) => {
    assert.ok(error instanceof binding.TransportError);
    assert.match(error.message, /exit code 2: standard error has its last words$/);
    return true;
  };
  await assert.rejects(binding.ready(), isTold);
  await Promise.all([binding.echoText('a'), binding.echoText('b')].map((call) => assert.rejects(call, isTold)));
  fs.rmSync(mark);
  await sleep(1000);
  assert.equal(await binding.echoText('c'), 'c');
  await binding.close();
});

test('a program that cannot be run is an error at the start', () => {
  const missing = packageWith(both);
  for (const tier of ['1:spawn', '1:pool']) {
    assert.throws(() => missing.with({ tier }), new RegExp(`cannot run at tier ${tier}: artifacts.conformance is missing: run`));
  }
});

test('what limits calls has to be numbers', () => {
  const wrong = [
    ['TIERUP_WORKERS', 'many', 'must be a whole number of at least 1, got `many`'],
    ['TIERUP_CALL_QUEUE', '0', 'must be a whole number of at least 1, got `0`'],
    ...['TIERUP_CALL_TIMEOUT', 'TIERUP_START_TIMEOUT'].flatMap((name) =>
      ['0', '-1', '1e3', '2s', '1000001'].map((text) => [
        name,
        text,
        `must be a number of seconds above 0, up to 1000000, such as 2.5, got \`${text}\``,
      ]),
    ),
  ];
  for (const [name, text, words] of wrong) {
    assert.throws(() => limited('1:pool', { [name]: text }), new RegExp(`${name} ${words}$`));
  }
});

test('1:pool: the time that a call waits counts, and a call that waited too long is never made', async () => {
  const environment = { TIERUP_WORKERS: '1', TIERUP_CALL_TIMEOUT: '4' };
  const { echoText, ready, close } = limited('1:pool', environment);
  await ready();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => echoText('hang')));
  const messages = outcomes.map(({ reason }) => reason.message);
  assert.match(messages[0], /^the call took longer than 4 s/);
  messages.slice(1).forEach((message) => assert.match(message, /^no worker was free for the call within 4 s/));
  assert.equal(await echoText('next'), 'next');
  await close();
});

test('1:pool: the worker that starts first does not take all calls', async () => {
  const { echoText, close } = limited('1:pool', { TIERUP_WORKERS: '2', TIERUP_CALL_TIMEOUT: '10' });
  const hung = assert.rejects(echoText('hang'), /the call took longer/);
  assert.equal(await echoText('beside it'), 'beside it');
  await hung;
  await close();
});

test('1:pool: a worker that was given up gets no more calls', async () => {
  const { echoText, close } = limited('1:pool', { TIERUP_WORKERS: '1' });
  assert.equal(await echoText('twice'), 'twice');
  assert.equal(await echoText('next'), 'next');
  await close();
});

for (const tier of ['1:spawn', '1:pool']) {
  test(`${tier}: a full queue is an error, and what waits is answered`, async () => {
    const environment = { TIERUP_WORKERS: '1', TIERUP_CALL_QUEUE: '3' };
    const { echoText, ready, close } = limited(tier, environment);
    await ready();
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => echoText('slow')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.ok(refused.length > 0 && refused.length < 197, `${refused.length} were refused`);
    refused.forEach(({ reason }) => {
      assert.equal(reason.code, 'TIERUP_TRANSPORT');
      assert.equal(reason.message, '3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)');
    });
    await close();
  });
}

test('1:spawn: an endless call is ended, and those that wait for its place are answered', async () => {
  const { echoText, echoTextSync, CallTimeoutError } = limited('1:spawn', { TIERUP_CALL_TIMEOUT: '2.01' });
  const hung = Array.from({ length: 200 }, () => echoText('hang'));
  const outcomes = await Promise.allSettled(hung);
  assert.ok(outcomes.every(({ reason }) => reason instanceof CallTimeoutError));
  assert.equal(await echoText('next'), 'next');
  assert.throws(() => echoTextSync('hang'), { code: 'TIERUP_TIMEOUT' });
  assert.equal(echoTextSync('next'), 'next');
});

test('an idle pool lets its process end, a call under way does not', () => {
  const script = `
    const { echoText } = require(${JSON.stringify(package_.folder)}).with({ tier: '1:pool' });
    echoText('x').then(() => setTimeout(() => echoText('slow').then(console.log), 50));`;
  assert.equal(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000 }), 'slow\n');
});

test('a process that the function left behind is not waited for', async () => {
  const spawn = package_.with({ tier: '1:spawn' });
  const start = Date.now();
  assert.equal(await spawn.echoText('daemon'), 'daemon');
  assert.ok(Date.now() - start < 10_000);
});

test('standard error that nobody reads does not end the process', () => {
  const script = `
    const { echoText } = require(${JSON.stringify(package_.folder)}).with({ tier: '1:pool' });
    process.stdin.once('data', async () => {
      for (let i = 0; i < 3; i += 1) await echoText('exit').catch(() => {});
      console.log(await echoText('alive'));
      process.exit();
    });
    console.log('ready');`;
  const shell = `"$1" -e "$2" 2> >(exec 0<&-; sleep 0.1)`;
  const options = { input: 'go', encoding: 'utf8', timeout: 20_000 };
  const output = execFileSync('bash', ['-c', shell, 'bash', process.execPath, script], options);
  assert.equal(output, 'ready\nalive\n');
});

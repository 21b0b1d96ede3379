'use strict';
// Calls in worker threads, in cluster's workers, and in processes that are about to end.

const { it } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { eachVariant } = require('./each.js');

const RUN = { cwd: __dirname, encoding: 'utf8', timeout: 60_000 };
const run = (script) => execFileSync(process.execPath, ['-e', script], RUN);

eachVariant('threads', (bind, name) => {
  it('works in two worker threads at once', async () => {
    const script = `
      const { parentPort } = require('node:worker_threads');
      const c = require('conformance').with({ tier: ${JSON.stringify(name)} });
      (async () => {
        for (let i = 0; i < 50; i++) if ((await c.echoText('t' + i)) !== 't' + i) throw new Error('wrong answer');
        await c.panicWith('x').then(() => { throw new Error('no panic') }, () => {});
        parentPort.postMessage(await c.churn(1n, 1000));
        await c.close();
      })();`;
    const answers = await Promise.all(
      [1, 2].map(
        () =>
          new Promise((resolve, reject) => {
            const worker = new Worker(script, { eval: true });
            let answer;
            worker.on('message', (message) => (answer = message));
            worker.on('error', reject);
            worker.on('exit', () => resolve(answer));
          }),
      ),
    );
    assert.equal(answers[0], await bind().churn(1n, 1000));
    assert.equal(answers[0], answers[1]);
  });

  it("works in cluster's workers", () => {
    const output = execFileSync(process.execPath, [path.join(__dirname, 'cluster.js'), name], RUN);
    assert.equal(output.trim().split('\n').at(-1), '2 of 2');
  });

  it('an idle package does not keep its process alive', () => {
    const script = `require('conformance').with({ tier: ${JSON.stringify(name)} }).echoText('ended').then(console.log)`;
    assert.equal(run(script).trim(), 'ended');
  });
});

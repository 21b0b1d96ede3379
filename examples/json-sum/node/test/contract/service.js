'use strict';

// The server under test, with a service behind it that is the test's own.

const assert = require('node:assert/strict');
const { after, before, beforeEach } = require('node:test');
const { startRecorder } = require('../recorder');
const { send, startServer } = require('../server-under-test');

const { TIERUP_URL, DOWNSTREAM_URL = 'http://127.0.0.1:4000' } = process.env;

/** How long the server waits for the service behind it; one that was started elsewhere says it by the same variable. */
const TIMEOUT_MS = Number(process.env.DOWNSTREAM_TIMEOUT_MS || 5000);

const service = { timeout: TIMEOUT_MS, recorder: undefined, url: undefined };
let server;

before(async () => {
    service.recorder = await startRecorder(TIERUP_URL ? Number(new URL(DOWNSTREAM_URL).port) : 0);
    server = TIERUP_URL
        ? { url: TIERUP_URL, stop() {} }
        : await startServer({ DOWNSTREAM_URL: service.recorder.url, DOWNSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) });
    service.url = server.url;
});
after(async () => {
    await server?.stop();
    await service.recorder?.close();
});
beforeEach(() => service.recorder.reset());

/** Sends a body, or a request. */
service.ask = (what) => send(service.url, typeof what === 'string' || Buffer.isBuffer(what) ? { body: what } : what);

/** A good request: answered with 200, and its sum is posted once. */
service.assertSum = async (what, sum) => {
    const answer = await service.ask(what);
    assert.deepEqual([answer.status, answer.body], [200, '{"ok":true}']);
    assert.match(answer.headers['content-type'], /^application\/json(;|$)/);
    assert.deepEqual(service.recorder.calls, [
        { method: 'POST', path: '/process', type: 'application/json', body: `{"sum":${sum}}` },
    ]);
};

/** A request that is refused with this status and one line of text, and of which nothing is posted. */
service.assertRefused = async (what, status, message = /./) => {
    const answer = await service.ask(what);
    assert.equal(answer.status, status, answer.body);
    assert.match(answer.headers['content-type'], /^text\/plain; ?charset=utf-8$/i);
    assert.match(answer.body, message);
    assert.ok(!answer.body.includes('\n'), answer.body);
    assert.deepEqual(service.recorder.calls, []);
};

module.exports = service;

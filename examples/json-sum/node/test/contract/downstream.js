'use strict';

// What is posted, and what becomes of a request whose sum cannot be.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const service = require('./service');

const { ask, assertSum } = service;
const GOOD = '{"items":[{"value":21}]}';

/** A sum that was, or may have been, posted, and to which there is no good answer. */
async function assertRefusal() {
    const answer = await ask(GOOD);
    assert.equal(answer.status, 502, answer.body);
    assert.match(answer.headers['content-type'], /^text\/plain; ?charset=utf-8$/i);
    assert.match(answer.body, /downstream/);
}

async function assertFailed(calls) {
    await assertRefusal();
    assert.equal(service.recorder.calls.length, calls);
}

test('many at once are each posted once', async () => {
    // No more: a client such as httpx searches all its connections at each request, and on a slow machine 200 outlast its
    // time-out.
    const sums = Array.from({ length: 64 }, (_, n) => `{"sum":${2 * n}}`);
    const answers = await Promise.all(sums.map((_, n) => ask(`{"items":[{"value":${n}}]}`)));
    assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body}`))], ['200 {"ok":true}']);
    assert.deepEqual(service.recorder.calls.map(({ body }) => body).sort(), [...sums].sort());
});

test('200: whatever a downstream that is content answers', async () => {
    const answers = {
        created: (response) => response.writeHead(201).end('not JSON'),
        'no content': (response) => response.writeHead(204).end(),
        'in pieces': (response) => {
            response.writeHead(200).write('{"ok":');
            setTimeout(() => response.end('false}'), 50);
        },
        'a megabyte': (response) => response.writeHead(200).end('x'.repeat(1 << 20)),
        'the last on its connection': (response) => response.writeHead(200, { connection: 'close' }).end('{}'),
    };
    for (const answer of Object.values(answers)) {
        service.recorder.reset();
        service.recorder.answer = answer;
        await assertSum(GOOD, 42);
    }
});

test('502: any other status', async () => {
    for (const status of [300, 302, 304, 400, 404, 409, 429, 500, 503]) {
        service.recorder.reset();
        service.recorder.answer = (response) => response.writeHead(status, { location: '/process' }).end();
        await assertFailed(1);
    }
});

test('502: a connection that ends before the answer, or within it', async () => {
    service.recorder.answer = (response) => response.destroy();
    await assertFailed(1);
    service.recorder.reset();
    service.recorder.answer = (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.destroy(), 50);
    };
    await assertFailed(1);
});

test('502: what is not HTTP', async () => {
    service.recorder.answer = (response) => response.socket.end('tierup\r\n\r\n');
    await assertFailed(1);
});

/** Longer than any of these servers may wait. */
const patience = { timeout: 3 * service.timeout + 20_000 };

test('502: no answer in time, or no end of it', patience, async () => {
    const answers = [() => {}, (response) => response.writeHead(200, { 'content-length': '100' }).write('half')];
    service.recorder.answer = (response) => answers.pop()(response);
    const began = performance.now();
    await Promise.all([assertRefusal(), assertRefusal()]);
    const took = performance.now() - began;
    assert.equal(service.recorder.calls.length, 2);
    assert.ok(took > 0.8 * service.timeout, `${took} ms`);
});

test('502: nobody there; 200 as soon as somebody is', patience, async () => {
    await service.recorder.close();
    try {
        await assertFailed(0);
        await assertFailed(0);
    } finally {
        await service.recorder.open();
    }
    await assertSum(GOOD, 42);
});

test('nothing is posted behind an answer', async () => {
    await assertSum(GOOD, 42);
    await ask('{"items":[{"value":"21"}]}');
    await sleep(300);
    assert.equal(service.recorder.calls.length, 1);
});

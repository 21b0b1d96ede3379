'use strict';

// What is around a body: methods, paths, headers, sizes.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const service = require('./service');

const { ask, assertRefused, assertSum } = service;
const GOOD = '{"items":[{"value":21}]}';
const LIMIT = 1024 * 1024;

const CONTENT_TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data', ';', ''];

test('200: whatever the content type says', async () => {
    for (const type of CONTENT_TYPES) {
        await assertSum({ body: GOOD, headers: { 'Content-Type': type } }, 42);
        service.recorder.reset();
    }
});

test('200: in chunks', () => assertSum({ body: GOOD, chunked: true }, 42));

test('200: with a query', () => assertSum({ body: GOOD, target: '/?a=%ff&b' }, 42));

test('200: whatever is accepted', () => assertSum({ body: GOOD, headers: { Accept: 'image/png' } }, 42));

test('200: 1 MiB', () => assertSum(GOOD.padEnd(LIMIT), 42));

test('413: a byte more than 1 MiB', () => assertRefused(GOOD.padEnd(LIMIT + 1), 413));

test('413: a byte more than 1 MiB, in chunks', () => assertRefused({ body: GOOD.padEnd(LIMIT + 1), chunked: true }, 413));

test('413: 16 MiB', async () => {
    // A server need not read all of it: it may close the connection before its answer is through.
    const status = await ask('x'.repeat(16 * LIMIT)).then((answer) => answer.status, (error) => error.code);
    assert.ok([413, 'ECONNRESET', 'EPIPE'].includes(status), `status ${status}`);
});

test('415: a body that is compressed, or says so', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'x', 'identity, gzip']) {
        await assertRefused({ body: GOOD, headers: { 'Content-Encoding': encoding } }, 415);
    }
    await assertSum({ body: GOOD, headers: { 'Content-Encoding': 'Identity' } }, 42);
});

test('400: no body at all', async () => {
    await assertRefused({ headers: { 'Content-Length': '0' } }, 400);
    await assertRefused({ headers: { 'Transfer-Encoding': 'chunked' } }, 400);
});

test('404: other paths, whatever the method', async () => {
    for (const target of ['//', '/tierup', '/%FF', '/process', '/LIVEZ', '/livez/', '/..']) {
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
            await assertRefused({ method, target, body: GOOD }, 404);
        }
    }
});

test('405: other methods', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        await assertRefused({ method, body: GOOD }, 405);
    }
    for (const [method, target] of [['HEAD', '/'], ['POST', '/livez'], ['DELETE', '/readyz']]) {
        assert.equal((await ask({ method, target })).status, 405, `${method} ${target}`);
    }
    assert.equal((await ask({ method: 'GET' })).headers.allow, 'POST');
});

test('405: a method that nobody knows', async () => {
    assert.equal(await statusOf('TIERUP / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'), 405);
});

test('431: too many headers, or too large ones', async () => {
    const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, number) => [`X-${number}`, 'a']));
    await assertSum({ body: GOOD, headers: many(90) }, 42);
    service.recorder.reset();
    assert.equal((await ask({ body: GOOD, headers: many(200) })).status, 431);
    await assertSum({ body: GOOD, headers: { 'X-Large': 'a'.repeat(12_000) } }, 42);
    service.recorder.reset();
    const status = await ask({ headers: { 'X-Large': 'a'.repeat(20_000) } }).then((answer) => answer.status);
    assert.equal(status, 431);
    assert.deepEqual(service.recorder.calls, []);
});

test('200: livez and readyz', async () => {
    for (const target of ['/livez', '/readyz']) {
        assert.equal((await ask({ method: 'GET', target })).status, 200);
        assert.equal((await ask({ method: 'HEAD', target })).status, 200);
    }
    assert.deepEqual(service.recorder.calls, []);
});

/** The status of the answer to what Node's client would not send. */
async function statusOf(bytes) {
    const { once } = require('node:events');
    const { hostname, port } = new URL(service.url);
    const socket = require('node:net').connect(port, hostname);
    socket.write(bytes);
    const [data] = await once(socket, 'data');
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d+) /.exec(data.toString('latin1'))[1]);
}

'use strict';

// The HTTP contract, which is the same at every tier. `npm test` checks this folder's server;
// `TIERUP_URL=http://127.0.0.1:3000 npm test` checks any that runs already, in whatever language.

const assert = require('node:assert/strict');
const { createHash } = require('node:crypto');
const http = require('node:http');
const { after, before, test } = require('node:test');
const zlib = require('node:zlib');
const cases = require('./cases');
const { send, startServer } = require('./server-under-test');

let server;
before(async () => {
    server = process.env.TIERUP_URL ? { url: process.env.TIERUP_URL, stop() {} } : await startServer();
});
after(() => server.stop());

const ask = (request) => send(server.url, request);
const { bytes: SOUND, answer: ANSWER } = cases[0];
const wrong = (path, message) => JSON.stringify({ errors: [{ path, message }] });

function assertAnswer(answer, status, text) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.text, text);
}

for (const { what, bytes, status, answer } of cases) {
    test(`${status}: ${what}`, async () => assertAnswer(await ask({ body: bytes }), status, answer));
}

test('400: no body at all', async () => {
    assertAnswer(await ask({}), 400, wrong('', 'the body is not JSON'));
});

for (const type of ['application/json', 'application/json; charset=latin1', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    test(`200: whatever the content type says: ${type}`, async () => {
        assertAnswer(await ask({ body: SOUND, headers: { 'Content-Type': type } }), 200, ANSWER);
    });
}

test('200: a body in parts, of which the first ends within a character', async () => {
    const body = Buffer.from(ANSWER.replace('new_home_page', '🦀'));
    const at = body.indexOf('🦀') + 2;
    assertAnswer(await ask({ body: [body.subarray(0, at), body.subarray(at)] }), 200, body.toString());
});

/** An experiment of so many bytes. */
const sized = (bytes) => Buffer.concat([SOUND, Buffer.alloc(bytes - SOUND.length, ' ')]);
const LARGEST = 64 * 1024;
const TOO_LARGE = wrong('', 'the body is larger than 64 KiB');

test('200: as large as a body may be', async () => {
    assertAnswer(await ask({ body: sized(LARGEST) }), 200, ANSWER);
    assertAnswer(await ask({ body: [sized(LARGEST)] }), 200, ANSWER);
});

test('413: a byte more', async () => {
    assertAnswer(await ask({ body: sized(LARGEST + 1) }), 413, TOO_LARGE);
    assertAnswer(await ask({ body: [sized(LARGEST + 1)] }), 413, TOO_LARGE);
});

test('413: much more, of which a server need not read all', async () => {
    // It may close the connection before its answer is through.
    const status = await ask({ body: sized(10_000_000) }).then(({ status }) => status, (error) => error.code);
    assert.ok([413, 'ECONNRESET', 'EPIPE'].includes(status), `status ${status}`);
});

test('415: a compressed body', async () => {
    for (const encoding of ['gzip', 'br', 'GZIP', 'identity, gzip']) {
        const answer = await ask({ body: zlib.gzipSync(SOUND), headers: { 'Content-Encoding': encoding } });
        assertAnswer(answer, 415, wrong('', 'a compressed body is not read'));
    }
    assertAnswer(await ask({ body: SOUND, headers: { 'Content-Encoding': 'Identity' } }), 200, ANSWER);
});

/** The name is its fingerprint: of the time that stands still, or of one a moment ago. */
function assertFingerprint(answer, before) {
    const last = Math.floor(Date.now() / 1000);
    const times = process.env.EXPERIMENTS_NOW ? [process.env.EXPERIMENTS_NOW] : [];
    for (let time = before; time <= last; time++) {
        times.push(time);
    }
    const right = times.map((time) => createHash('md5').update(`new_home_page-${time}`).digest('hex'));
    assert.equal(answer.status, 200, answer.text);
    const { name, ...rest } = JSON.parse(answer.text);
    assert.ok(right.includes(name), `${name} is none of ${right}`);
    assert.equal(JSON.stringify({ name: 'new_home_page', ...rest }), ANSWER);
}

for (const query of ['?fingerprint=md5', '?a=b&fingerprint=md5', '?fingerprint=md5&fingerprint=md5', '?&&fingerprint=md5&c']) {
    test(`200: a fingerprint: ${query}`, async () => {
        const before = Math.floor(Date.now() / 1000);
        assertFingerprint(await ask({ target: `/experiments${query}`, body: SOUND }), before);
    });
}

for (const query of ['?', '?a=b', '?FINGERPRINT=sha1', '?fingerprints=sha1', '?xfingerprint=1', '?a=fingerprint=x', '?%66ingerprint=sha1', '?a=%zz&b=%ff']) {
    test(`200: no fingerprint: ${query}`, async () => {
        assertAnswer(await ask({ target: `/experiments${query}`, body: SOUND }), 200, ANSWER);
    });
}

for (const query of ['?fingerprint', '?fingerprint=', '?fingerprint=sha1', '?fingerprint=MD5', '?fingerprint=%6dd5', '?fingerprint=md5+', '?fingerprint=md5=', '?fingerprint=md5&fingerprint=sha1', '?fingerprint=sha1&fingerprint=md5']) {
    test(`400: another fingerprint: ${query}`, async () => {
        assertAnswer(await ask({ target: `/experiments${query}`, body: SOUND }), 400, wrong('?fingerprint', 'must be md5'));
    });
}

test('of several problems, the first of 415, 413, the query and the body is said', async () => {
    const target = '/experiments?fingerprint=no';
    const headers = { 'Content-Encoding': 'gzip' };
    assert.equal((await ask({ target, headers, body: sized(LARGEST + 1) })).status, 415);
    assert.equal((await ask({ target, body: sized(LARGEST + 1) })).status, 413);
    assertAnswer(await ask({ target, body: '{' }), 400, wrong('?fingerprint', 'must be md5'));
});

for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    test(`405: ${method}`, async () => {
        const answer = await ask({ method, body: ['PUT', 'PATCH'].includes(method) ? SOUND : [] });
        assert.equal(answer.headers.allow, 'POST');
        assertAnswer(answer, 405, method === 'HEAD' ? '' : wrong('', 'only POST is answered here'));
    });
}

for (const target of ['/', '/experiments/', '/experiments/1', '/Experiments', '/experiment', '/experiments;a=b', '/livez/']) {
    test(`404: ${target}`, async () => {
        assertAnswer(await ask({ target, body: SOUND }), 404, wrong('', 'there is nothing here'));
        assert.equal((await ask({ method: 'GET', target })).status, 404);
    });
}

test('200: livez and readyz', async () => {
    for (const target of ['/livez', '/readyz']) {
        const { status, headers, text } = await ask({ method: 'GET', target });
        assert.deepEqual([status, headers['content-type'], text], [200, 'text/plain; charset=utf-8', 'ok']);
    }
});

test('a connection goes on after whatever was wrong', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const request of [{ body: '{' }, { body: '{}' }, { target: '/experiments?fingerprint=no', body: SOUND }, { body: SOUND }]) {
        const { headers } = await ask({ ...request, agent });
        assert.notEqual(headers.connection, 'close');
    }
    agent.destroy();
});

test('many at once are each answered with their own', async () => {
    const bodies = Array.from({ length: 200 }, (_, n) => ANSWER.replace('new_home_page', `page ${n}`));
    const answers = await Promise.all(bodies.map((body) => ask({ body })));
    assert.deepEqual(answers.map(({ text }) => text), bodies);
});

'use strict';

// The wrong rewrites are wrong in what they post, and in nothing that their clients could see.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { startRecorder } = require('./recorder');
const { send, startServer } = require('./server-under-test');

const skip = process.env.TIERUP_URL ? 'TIERUP_URL names another server' : false;

const POSTED = { '': ['{"sum":42}'], skip: [], twice: ['{"sum":42}', '{"sum":42}'], sum: ['{"sum":43}'] };

for (const [wrong, posted] of Object.entries(POSTED)) {
    test(`WRONG=${wrong} posts ${posted.join(' and ') || 'nothing'}`, { skip }, async (t) => {
        const recorder = await startRecorder();
        t.after(recorder.close);
        const server = await startServer({ WRONG: wrong, DOWNSTREAM_URL: recorder.url }, 'test/wrong-server.js');
        t.after(server.stop);
        const answer = await send(server.url, { body: '{"items":[{"value":21}]}' });
        assert.deepEqual([answer.status, answer.body], [200, '{"ok":true}']);
        assert.deepEqual(recorder.calls.map(({ body }) => body), posted);
        assert.equal((await send(server.url, { body: '{"items":[{"value":"21"}]}' })).status, 400);
        assert.equal((await send(server.url, { method: 'GET' })).status, 405);
        assert.equal(recorder.calls.length, posted.length);
    });
}

'use strict';

// This folder's own function, without a server around it.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const createExperiment = require('../create-experiment');
const cases = require('./cases');

const TYPES = { 200: 'Valid', 400: 'Malformed', 422: 'Invalid' };

for (const { what, bytes, status, answer } of cases) {
    test(`${status}: ${what}`, () => {
        assert.deepEqual(createExperiment(bytes), { type: TYPES[status], value: answer });
    });
}

test('a fingerprint is the MD5 of name and time, in seconds of either kind', () => {
    const [{ bytes }] = cases;
    const named = (name) => ({ type: 'Valid', value: cases[0].answer.replace('new_home_page', name) });
    // $ printf new_home_page-1700000000 | md5sum
    assert.deepEqual(createExperiment(bytes, 1_700_000_000), named('8cee5114650cd4092bbf5ccb020dd8c1'));
    assert.deepEqual(createExperiment(bytes, 1_700_000_000n), named('8cee5114650cd4092bbf5ccb020dd8c1'));
    assert.deepEqual(createExperiment(bytes, null), named('new_home_page'));
});

test('a view of a larger buffer is that view alone', () => {
    const [{ bytes, answer }] = cases;
    const larger = Buffer.concat([Buffer.from('[[['), bytes, Buffer.from('"')]);
    const view = new Uint8Array(larger.buffer, larger.byteOffset + 3, bytes.length);
    assert.deepEqual(createExperiment(view), { type: 'Valid', value: answer });
});

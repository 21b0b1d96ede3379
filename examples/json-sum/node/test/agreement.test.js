'use strict';

// Rust's function and JavaScript's, on bodies that nobody thought of: good ones, and what small changes make of them.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const inJavaScript = require('../sum-items');

const skip = process.env.TIERUP_URL ? 'TIERUP_URL names another server' : false;
/** A call at `1:spawn` takes milliseconds. */
const BODIES = process.env.TIERUP_TIER?.startsWith('1') ? 300 : 20_000;

test('both take the same bodies, and give the same sums', { skip }, async (t) => {
    const binding = require('json-sum').with({ baseline: inJavaScript, baselines: { tuned: inJavaScript } });
    t.after(binding.close);
    const random = randomFrom(20_261_121);
    let sums = 0;
    for (let i = 0; i < BODIES; i++) {
        const body = changed(document(random), random);
        const expected = outcome(() => inJavaScript(body));
        const actual = await binding.sumItems(body).catch((error) => refused(error, ['TIERUP_ERR', 'BAD_BODY']));
        assert.equal(actual, expected, body.toString());
        sums += typeof expected === 'bigint';
    }
    // Otherwise this shows little.
    assert.ok(sums > 0.2 * BODIES && sums < 0.9 * BODIES, `${sums} of ${BODIES} have a sum`);
});

function outcome(call) {
    try {
        return call();
    } catch (error) {
        return refused(error, ['BAD_BODY']);
    }
}

/** Which body is refused is what counts, and that it is nothing worse. */
function refused(error, codes) {
    assert.ok(codes.includes(error.code), error.stack);
    return 'refused';
}

const PLAIN = ['0', '-0', '1', '7', '-42', '1000', '1.0', '2e3'];
const NUMBERS = [
    ...PLAIN,
    ...['-3.5', '5e-1', '50e-1', '1e400', '1e-400', '0.99999999999999999999', '123456789012345678901234567890'],
    ...['4503599627370495', '9007199254740991', '-9007199254740993', '9007199254740991.4'],
];
const KEYS = [
    ...['items', 'items', 'value', 'value', 'x', '__proto__', 'é🦀', ''],
    ...[String.raw`\u0069tems`, String.raw`valu\u0065`, String.raw`\ud800`],
];
const OTHERS = [
    ...['null', 'true', '""', '"1"', '[]', '{}', '[[1],{"a":2}]'],
    ...[String.raw`"\ud83e\udd80"`, String.raw`"\udc00"`],
];
const SCRAPS = [...'{}[]",:\\0123456789.-+eEu \t\n\0é', '"items":', '"value":', '\ufeff', 'null,', '1e'];

/** A body that is good, or nearly so. */
function document(random) {
    const pick = (list) => list[Math.floor(random() * list.length)];
    const value = () => (random() < 0.97 ? pick(random() < 0.8 ? PLAIN : NUMBERS) : pick(OTHERS));
    const more = () => (random() < 0.15 ? `"${pick(KEYS)}":${random() < 0.5 ? value() : pick(OTHERS)},` : '');
    const item = () => (random() < 0.98 ? `{${more()}"value":${value()}}` : pick([...OTHERS, ...NUMBERS]));
    const items = Array.from({ length: Math.floor(random() * 6) }, item);
    return `{${more()}"items":[${items.join(random() < 0.8 ? ',' : ' , ')}]}`;
}

/** Most stay as they are; of the others some bytes are taken out, doubled or made up. */
function changed(text, random) {
    let bytes = Buffer.from(text);
    for (let edits = Math.floor(random() * 4) - 1; edits > 0; edits--) {
        const at = Math.floor(random() * (bytes.length + 1));
        const until = at + Math.floor(random() * 4);
        const scrap = SCRAPS[Math.floor(random() * SCRAPS.length)];
        const before = bytes.subarray(Math.max(0, at - 3), at);
        const added = [Buffer.from(scrap), Buffer.from(scrap), before, Buffer.of(random() * 256)];
        bytes = Buffer.concat([bytes.subarray(0, at), added[Math.floor(random() * 4)], bytes.subarray(until)]);
    }
    return bytes;
}

/** Numbers from 0 up to 1, the same for the same seed: mulberry32. */
function randomFrom(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

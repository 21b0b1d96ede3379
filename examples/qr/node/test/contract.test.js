'use strict';

// The HTTP contract, which is the same at every tier. `npm test` checks this folder's server;
// `TIERUP_URL=http://127.0.0.1:42069 npm test` checks any that runs already, in whatever language.

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const zlib = require('node:zlib');
const { get, startServer } = require('./server-under-test');

let server;
before(async () => {
    server = process.env.TIERUP_URL ? { url: process.env.TIERUP_URL, stop() {} } : await startServer();
});
after(() => server.stop());

const MISSING = 'missing "text" query param';
const TOO_LONG = 'text must be <= 512 bytes';
const MALFORMED = 'malformed query string';

/** Query strings (after `/qrcode`) that have a QR code. */
const ANSWERED = {
    'a URL, unencoded as far as it may be': '?text=https://www.reddit.com/r/rustjerk/top/?t=all',
    'a URL, encoded': `?text=${encodeURIComponent('https://example.org/a b?c=d&e=f#g')}`,
    'one byte': '?text=x',
    'one space, as a plus': '?text=+',
    'one space, encoded': '?text=%20',
    'a NUL': '?text=%00',
    'line ends and controls': '?text=%0d%0a%09%1b',
    'an equals sign': '?text==',
    'a plus, encoded': '?text=%2B',
    'an encoded name': '?%74ext=x',
    'emoji': `?text=${encodeURIComponent('🦀 Ferris')}`,
    'a character that is not one': '?text=%EF%BF%BF',
    'other parameters': '?a=1&text=x&b=2&a=3',
    'empty parameters': '?&&text=x&',
    'names that JavaScript knows': '?__proto__=x&constructor=y&hasOwnProperty=z&text=x',
    'a name in brackets beside it': '?text[a]=b&text=x',
    '512 bytes': `?text=${'x'.repeat(512)}`,
    '512 bytes of two-byte characters': `?text=${encodeURIComponent('é'.repeat(256))}`,
    '512 bytes of four-byte characters': `?text=${encodeURIComponent('🦀'.repeat(128))}`,
};

const REFUSED = {
    'no query': ['', MISSING],
    'an empty query': ['?', MISSING],
    'another parameter': ['?txt=x', MISSING],
    'the name in capitals': ['?TEXT=x', MISSING],
    'no value': ['?text', MISSING],
    'an empty value': ['?text=', MISSING],
    'two texts': ['?text=a&text=b', MISSING],
    'two equal texts': ['?text=a&text=a', MISSING],
    'a text and an empty one': ['?text=a&text=', MISSING],
    'a thousand texts': [`?${'text=a&'.repeat(1000)}`, MISSING],
    'an object': ['?text[a]=b', MISSING],
    'a list': ['?text[]=x&text[]=y', MISSING],
    'a list, encoded': ['?text%5B%5D=x', MISSING],
    'a prototype': ['?__proto__[text]=x&__proto__=x', MISSING],
    'a semicolon for an ampersand': ['?a=1;text=x', MISSING],

    '513 bytes': [`?text=${'x'.repeat(513)}`, TOO_LONG],
    '513 bytes in 512 characters': [`?text=${'x'.repeat(511)}%C3%A9`, TOO_LONG],
    '516 bytes in 258 UTF-16 units': [`?text=${encodeURIComponent('🦀'.repeat(129))}`, TOO_LONG],
    'ten thousand bytes': [`?text=${'x'.repeat(10_000)}`, TOO_LONG],

    'a lone percent sign': ['?text=%', MALFORMED],
    'half an escape': ['?text=100%2', MALFORMED],
    'no hexadecimal digits': ['?text=%zz', MALFORMED],
    'a broken escape at the end': ['?text=abc%E', MALFORMED],
    'bytes that are not UTF-8': ['?text=%ff%fe', MALFORMED],
    'half a character': ['?text=%C3', MALFORMED],
    'an overlong slash': ['?text=%C0%AF', MALFORMED],
    'a lone surrogate': ['?text=%ED%A0%80', MALFORMED],
    'a pair of surrogates': ['?text=%ED%A0%BD%ED%B8%80', MALFORMED],
    'a code point beyond the last': ['?text=%F4%90%80%80', MALFORMED],
    'a broken name': ['?text=x&%zz=1', MALFORMED],
    'a broken value elsewhere': ['?text=x&a=%ff', MALFORMED],
};

for (const [what, query] of Object.entries(ANSWERED)) {
    test(`200: ${what}`, async () => {
        const answer = await get(server.url, `/qrcode${query}`);
        assert.equal(answer.status, 200, answer.body.toString());
        assert.equal(answer.headers['content-type'], 'image/png');
        assertIsPicture(answer.body);
    });
}

for (const [what, [query, message]] of Object.entries(REFUSED)) {
    test(`400: ${what}`, async () => {
        const answer = await get(server.url, `/qrcode${query}`);
        assert.equal(answer.status, 400);
        assert.equal(answer.body.toString(), message);
        assert.equal(answer.headers['content-type'].toLowerCase(), 'text/plain; charset=utf-8');
    });
}

test('400: bytes that a URL must encode', async () => {
    for (const bytes of ['\u00ff', '\u00c3\u00a9', '\u00a0']) {
        assert.equal((await get(server.url, `/qrcode?text=${bytes}`)).status, 400);
    }
});

test('4xx: a request larger than servers take', async () => {
    const large = get(server.url, `/qrcode?text=${'x'.repeat(200_000)}`);
    // A server need not read all of it: it may close the connection before its answer is through.
    const status = await large.then((answer) => answer.status, (error) => error.code);
    assert.ok((status >= 400 && status < 500) || ['ECONNRESET', 'EPIPE'].includes(status), `status ${status}`);
});

test('200: livez and readyz', async () => {
    assert.equal((await get(server.url, '/livez')).status, 200);
    assert.equal((await get(server.url, '/readyz')).status, 200);
});

test('404: anything else', async () => {
    for (const path of ['/', '/qrcode/x', '/%ff', '/../etc/passwd']) {
        const { status } = await get(server.url, path);
        assert.ok(status === 404 || status === 400, `${path}: status ${status}`);
    }
});

test('different texts have different codes, and equal ones equal codes, however they are encoded', async () => {
    const body = async (query) => (await get(server.url, `/qrcode${query}`)).body;
    assert.deepEqual(await body('?text=a+b'), await body('?text=%61%20b'));
    assert.notDeepEqual(await body('?text=a%2Bb'), await body('?text=a+b'));
});

test('many at once are each answered with their own code', async () => {
    const texts = Array.from({ length: 100 }, (_, n) => `https://example.org/${n}`);
    const all = () => Promise.all(texts.map((text) => get(server.url, `/qrcode?text=${text}`)));
    const [first, second] = [await all(), await all()];
    first.forEach((answer, n) => assert.deepEqual(answer.body, second[n].body));
    assert.equal(new Set(first.map(({ body }) => body.toString('latin1'))).size, texts.length);
});

/** A whole PNG of 200 x 200 pixels, whatever their format. */
function assertIsPicture(file) {
    assert.equal(file.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n');
    const pixels = [];
    let name;
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
        const length = file.readUInt32BE(at);
        const data = file.subarray(at + 8, at + 8 + length);
        name = file.toString('latin1', at + 4, at + 8);
        assert.equal(zlib.crc32(file.subarray(at + 4, at + 8 + length)), file.readUInt32BE(at + 8 + length), name);
        if (name === 'IHDR') {
            assert.deepEqual([data.readUInt32BE(0), data.readUInt32BE(4)], [200, 200]);
        } else if (name === 'IDAT') {
            pixels.push(data);
        }
    }
    assert.equal(name, 'IEND');
    assert.ok(zlib.inflateSync(Buffer.concat(pixels)).length >= 200 * 26);
}

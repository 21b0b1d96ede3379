'use strict';
// What `[check]` compares: the text in a picture, not how it was compressed. A process that stays: each picture comes as
// its length in four bytes, little-endian, and its bytes; each answer is 0 and the text, or 1 and why there is none, the
// length in front likewise.

const jsqr = require('jsqr').default;
const { PNG } = require('pngjs');

function decode(picture) {
    const { width, height, data } = PNG.sync.read(picture);
    const code = jsqr(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' });
    if (!code) {
        throw new Error(`there is no QR code in this picture of ${width} x ${height} pixels`);
    }
    return Buffer.from(code.binaryData);
}

function answer(picture) {
    let outcome = 0;
    let content;
    try {
        content = decode(picture);
    } catch (error) {
        outcome = 1;
        content = Buffer.from(error.message);
    }
    const head = Buffer.alloc(5);
    head.writeUInt8(outcome);
    head.writeUInt32LE(content.length, 1);
    process.stdout.write(Buffer.concat([head, content]));
}

let waiting = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE()) {
        const end = 4 + waiting.readUInt32LE();
        answer(waiting.subarray(4, end));
        waiting = waiting.subarray(end);
    }
});

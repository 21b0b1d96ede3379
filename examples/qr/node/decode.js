'use strict';
// What `[check]` compares: the text in a picture, not how it was compressed. A process that stays: each picture comes as
// its length in four bytes, little-endian, and its bytes; each answer is 0 and the text, or 1 and why there is none, the
// length in front likewise.

const fs = require('node:fs');
const { prepareZXingModule, readBarcodes } = require('zxing-wasm/reader');

// It would otherwise be fetched from the network.
const wasmBinary = fs.readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm'));
prepareZXingModule({ overrides: { wasmBinary } });

// Upright, dark on light and of one size: nothing has to be searched for.
const options = { formats: ['QRCode'], maxNumberOfSymbols: 1, tryHarder: false, tryRotate: false, tryInvert: false, tryDownscale: false };

async function decode(picture) {
    const [code] = await readBarcodes(new Uint8Array(picture), options);
    if (code === undefined) {
        throw new Error('there is no QR code in this picture');
    }
    return Buffer.from(code.bytes);
}

async function answer(picture) {
    let outcome = 0;
    let content;
    try {
        content = await decode(picture);
    } catch (error) {
        outcome = 1;
        content = Buffer.from(error.message);
    }
    const head = Buffer.alloc(5);
    head.writeUInt8(outcome);
    head.writeUInt32LE(content.length, 1);
    process.stdout.write(Buffer.concat([head, content]));
}

async function main() {
    let waiting = Buffer.alloc(0);
    for await (const chunk of process.stdin) {
        waiting = Buffer.concat([waiting, chunk]);
        while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE()) {
            const end = 4 + waiting.readUInt32LE();
            await answer(waiting.subarray(4, end));
            waiting = waiting.subarray(end);
        }
    }
}

main();

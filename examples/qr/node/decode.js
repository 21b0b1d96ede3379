'use strict';
// Reads a PNG on standard input and writes the text of its QR code on standard output: what counts of an answer, however
// it was drawn and compressed. `tierup` compares answers by it.

const fs = require('node:fs');
const jsqr = require('jsqr');
const { PNG } = require('pngjs');

const { width, height, data } = PNG.sync.read(fs.readFileSync(0));
const code = jsqr(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' });
if (!code) {
    console.error(`there is no QR code in this picture of ${width} x ${height} pixels`);
    process.exit(1);
}
process.stdout.write(Buffer.from(code.binaryData));

'use strict';
// What `[check]` compares: the text in a picture, not how it was compressed. A process that stays: each picture comes as
// its length in four bytes, little-endian, and its bytes; each answer is 0 and the text, or 1 and why there is none, the
// length in front likewise.

const jsqr = require('jsqr').default;
const { PNG } = require('pngjs');

function decode(picture) {
    const { width, height, data } = PNG.sync.read(picture);
    const isDark = (x, y) => data[(y * width + x) * 4] < 128;
    // The qrcode package draws modules of, say, two pixels and a half: some are two wide, some three, which is hard to
    // read for one who has to find out where each is. Drawn again with four pixels a module, it is not.
    const text = read(width, height, isDark) ?? redrawn(width, height, isDark);
    if (text === undefined) {
        throw new Error(`there is no QR code in this picture of ${width} x ${height} pixels`);
    }
    return text;
}

function read(width, height, isDark) {
    // Opaque black and white, a word each: its highest byte, which is the last in memory, is the opacity.
    const pixels = new Uint32Array(width * height);
    for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++, at++) {
            pixels[at] = isDark(x, y) ? 0xff000000 : 0xffffffff;
        }
    }
    const code = jsqr(new Uint8ClampedArray(pixels.buffer), width, height, { inversionAttempts: 'dontInvert' });
    return code ? Buffer.from(code.binaryData) : undefined;
}

/** The dark pixels' square, whose upper left corner is a finder pattern, 7 modules wide. */
function redrawn(width, height, isDark) {
    const rows = [...Array(height).keys()];
    const top = rows.find((y) => rows.some((x) => isDark(x, y)));
    const left = rows.find((x) => rows.some((y) => isDark(x, y)));
    if (top === undefined) {
        return undefined;
    }
    const end = rows.findLast((x) => rows.some((y) => isDark(x, y))) + 1;
    let finder = 0;
    while (isDark(left + finder, top)) {
        finder++;
    }
    // As whole pixels have it; where that is not exact, it is a version nearby.
    const version = Math.round(((end - left) / (finder / 7) - 17) / 4);
    for (const near of [0, -1, 1, -2, 2]) {
        const text = sampled(17 + 4 * (version + near), { left, top, end }, isDark);
        if (text !== undefined) {
            return text;
        }
    }
    return undefined;
}

function sampled(modules, { left, top, end }, isDark) {
    if (modules < 21) {
        return undefined;
    }
    const module = (end - left) / modules;
    const side = (modules + 8) * 4;
    return read(side, side, (x, y) => {
        const [column, row] = [Math.floor(x / 4) - 4, Math.floor(y / 4) - 4];
        const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < modules;
        const center = (from, number) => Math.floor(from + (number + 0.5) * module);
        return isInside && isDark(center(left, column), center(top, row));
    });
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

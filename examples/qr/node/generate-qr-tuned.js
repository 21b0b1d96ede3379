'use strict';

// Tier 0:tuned: what there was to gain without leaving JavaScript. The `qrcode` package still chooses
// the modules; the picture is drawn here, with one bit per pixel instead of 32 and without the
// streams that the package's PNG encoder goes through.

const QRCode = require('qrcode');
const zlib = require('node:zlib');

const PIXELS = 200;
const QUIET_ZONE = 4;
const ROW_BYTES = 1 + PIXELS / 8;
const NO_FILTER = 0;
const SAME_AS_ABOVE = 2; // the filter "Up", with all differences 0

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const HEADER = chunk('IHDR', Buffer.from([0, 0, 0, PIXELS, 0, 0, 0, PIXELS, /* bits per pixel */ 1, 0, 0, 0, 0]));
const END = chunk('IEND', Buffer.alloc(0));

/**
 * @param {string} text
 * @returns {Promise<Buffer>} a PNG of 200 x 200 pixels
 */
module.exports = async function generateQrCode(text) {
    const { modules } = QRCode.create(text, { errorCorrectionLevel: 'L' });
    // Synchronous: this little data is compressed sooner than handed to another thread.
    const pixels = zlib.deflateSync(draw(modules.size, modules.data), { level: 6 });
    return Buffer.concat([SIGNATURE, HEADER, chunk('IDAT', pixels), END]);
};

/**
 * Draws each row of modules once; the rows of pixels below it only say that they are the same.
 *
 * @param {number} size modules per side
 * @param {Uint8Array} modules row by row, 1 is dark
 */
function draw(size, modules) {
    const scale = Math.floor(PIXELS / (size + 2 * QUIET_ZONE));
    const margin = Math.floor((PIXELS - size * scale) / 2);
    const image = Buffer.alloc(ROW_BYTES * PIXELS);
    for (let y = 0; y < PIXELS; y++) {
        image[y * ROW_BYTES] = SAME_AS_ABOVE;
    }
    drawWhiteRow(image, 0);
    for (let row = 0; row < size; row++) {
        const start = (margin + row * scale) * ROW_BYTES;
        drawWhiteRow(image, start);
        for (let column = 0; column < size; column++) {
            if (modules[row * size + column]) {
                for (let x = margin + column * scale, end = x + scale; x < end; x++) {
                    image[start + 1 + (x >> 3)] &= ~(0x80 >> (x & 7));
                }
            }
        }
    }
    drawWhiteRow(image, (margin + size * scale) * ROW_BYTES);
    return image;
}

function drawWhiteRow(image, start) {
    image[start] = NO_FILTER;
    image.fill(0xff, start + 1, start + ROW_BYTES);
}

function chunk(name, data) {
    const bytes = Buffer.alloc(12 + data.length);
    bytes.writeUInt32BE(data.length, 0);
    bytes.write(name, 4, 'latin1');
    data.copy(bytes, 8);
    bytes.writeUInt32BE(zlib.crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
    return bytes;
}

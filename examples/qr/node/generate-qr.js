'use strict';

// Tier 0: how the server made its QR codes before there was any Rust.

const QRCode = require('qrcode');

/**
 * @param {string} text
 * @returns {Promise<Buffer>} a PNG of 200 x 200 pixels
 */
module.exports = function generateQrCode(text) {
    return QRCode.toBuffer(text, {
        type: 'png',
        errorCorrectionLevel: 'L',
        width: 200,
        rendererOpts: {
            deflateLevel: 9,
            deflateStrategy: 3, // Z_RLE
        },
    });
};

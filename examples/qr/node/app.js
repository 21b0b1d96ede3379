'use strict';

// What the server answers. It knows nothing of processes, ports or tiers.

const express = require('express');
const { valuesOf } = require('./query');

const MAX_BYTES = 512;

/**
 * @param {object} qr
 * @param {(text: string) => Promise<Buffer>} qr.generateQrCode
 * @param {() => Promise<void>} qr.checkHealth rejects if a code that is known comes out wrong
 */
module.exports = function createApp({ generateQrCode, checkHealth }) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('query parser'); // see query.js
    app.disable('etag'); // nobody asks for the same code twice
    // One spelling of each path, as other servers have it.
    app.enable('case sensitive routing');
    app.enable('strict routing');

    app.get('/qrcode', async (req, res) => {
        const texts = valuesOf(req.url, 'text');
        if (texts.length !== 1 || texts[0] === '') {
            return answer(res, 400, 'missing "text" query param');
        }
        if (Buffer.byteLength(texts[0]) > MAX_BYTES) {
            return answer(res, 400, `text must be <= ${MAX_BYTES} bytes`);
        }
        const png = await generateQrCode(texts[0]);
        res.set('Content-Type', 'image/png').send(png);
    });

    app.all('/qrcode', (req, res) => answer(res.set('Allow', 'GET, HEAD'), 405, 'method not allowed'));

    app.get('/livez', (req, res) => answer(res, 200, 'ok'));

    app.get('/readyz', async (req, res) => {
        try {
            await checkHealth();
        } catch (error) {
            return answer(res, 503, error.message);
        }
        answer(res, 200, 'ok');
    });

    app.use((req, res) => answer(res, 404, 'not found'));

    // Express takes a handler with four parameters for one of errors.
    app.use((error, req, res, next) => {
        if (res.headersSent) {
            return next(error);
        }
        if (error.status >= 400 && error.status < 500) {
            return answer(res, error.status, error.message);
        }
        console.error(error);
        answer(res, 500, 'failed to generate the QR code');
    });
    return app;
};

function answer(res, status, text) {
    res.status(status).type('text/plain').send(text);
}

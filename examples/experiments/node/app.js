'use strict';

// What the server answers. It knows nothing of processes, ports or tiers.

const express = require('express');
const { wantsFingerprint, WrongQuery } = require('./query');

const LARGEST = 64 * 1024;
const NO_BODY = Buffer.alloc(0);
const STATUS = { Valid: 200, Malformed: 400, Invalid: 422 };

/**
 * @param {object} parts
 * @param {(body: Uint8Array, fingerprintAt: number | null) => Promise<{ type: string, value: string }>} parts.createExperiment
 * @param {() => Promise<void>} parts.checkHealth rejects if an answer that is known comes out wrong
 * @param {() => number} parts.now seconds since 1970
 */
module.exports = function createApp({ createExperiment, checkHealth, now }) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('query parser'); // see query.js
    app.enable('case sensitive routing');
    app.enable('strict routing');

    // The function reads the bytes itself, so that all tiers read them alike; their type is not looked at.
    const body = express.raw({ type: () => true, limit: LARGEST, inflate: false });

    app.post('/experiments', body, async (req, res) => {
        const fingerprintAt = wantsFingerprint(req.url) ? now() : null;
        const { type, value } = await createExperiment(req.body ?? NO_BODY, fingerprintAt);
        answer(res, STATUS[type], value);
    });

    app.all('/experiments', (req, res) => {
        res.setHeader('Allow', 'POST');
        refuse(res, 405, '', 'only POST is answered here');
    });

    app.get('/livez', (req, res) => res.type('text/plain').send('ok'));

    app.get('/readyz', async (req, res) => {
        try {
            await checkHealth();
        } catch (error) {
            return res.status(503).type('text/plain').send(error.message);
        }
        res.type('text/plain').send('ok');
    });

    app.use((req, res) => refuse(res, 404, '', 'there is nothing here'));

    // Express takes a handler with four parameters for one of errors.
    app.use((error, req, res, next) => {
        if (res.headersSent) {
            return next(error);
        }
        if (error instanceof WrongQuery) {
            return refuse(res, 400, '?fingerprint', error.message);
        }
        if (error.status === 413) {
            return refuse(res, 413, '', 'the body is larger than 64 KiB');
        }
        if (error.status === 415) {
            return refuse(res, 415, '', 'a compressed body is not read');
        }
        if (error.status >= 400 && error.status < 500) {
            return refuse(res, error.status, '', 'the request cannot be read');
        }
        console.error(error);
        refuse(res, 500, '', 'the server failed');
    });
    return app;
};

function refuse(res, status, path, message) {
    answer(res, status, JSON.stringify({ errors: [{ path, message }] }));
}

/** Past Express' `send`, which would add a charset that JSON does not have, and an ETag that nobody asks for. */
function answer(res, status, json) {
    res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
    res.end(json);
}

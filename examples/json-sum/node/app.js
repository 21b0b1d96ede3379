'use strict';

// What the server answers. It knows nothing of processes, ports or tiers.

const express = require('express');

const MAX_BYTES = 1024 * 1024;
const MAX_HEADERS = 100;

/**
 * @param {object} service
 * @param {(body: Buffer) => Promise<bigint>} service.sumItems
 * @param {(sum: bigint) => Promise<void>} service.post hands a sum on; rejects with status 502 where that fails
 * @param {() => Promise<void>} service.checkHealth rejects if a sum that is known comes out wrong
 */
module.exports = function createApp({ sumItems, post, checkHealth }) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('query parser'); // nothing here has a query
    app.disable('etag'); // nor anything that could be kept
    app.enable('strict routing'); // `//` is not `/`
    app.enable('case sensitive routing');
    app.use(refuseManyHeaders);

    // Whatever its content type says, a body is read as what it has to be.
    const body = express.raw({ type: () => true, limit: MAX_BYTES, inflate: false });
    const root = app.route('/').post(body, async (req, res) => {
        // Without a body there is no Buffer.
        const sum = await sumItems(req.body ?? Buffer.alloc(0));
        await post(sum);
        res.send({ ok: true });
    });
    root.all((req, res) => notAllowed(res, 'POST'));

    const livez = app.route('/livez').get((req, res) => answer(res, 200, 'ok'));
    const readyz = app.route('/readyz').get(async (req, res) => {
        try {
            await checkHealth();
        } catch (error) {
            return answer(res, 503, error.message);
        }
        answer(res, 200, 'ok');
    });
    for (const route of [livez, readyz]) {
        route.all((req, res) => notAllowed(res, 'GET,HEAD'));
    }

    app.use((req, res) => answer(res, 404, 'not found'));

    // Express takes a handler with four parameters for one of errors.
    app.use((error, req, res, next) => {
        if (res.headersSent) {
            return next(error);
        }
        const [status, message] = refusal(error);
        if (status === 500) {
            console.error(error);
        }
        answer(res, status, message);
    });
    return app;
};

/** What a client hears of an error. */
function refusal(error) {
    switch (error.code ?? error.type) {
        case 'BAD_BODY': // sum-items.js says so
        case 'TIERUP_ERR': // Rust says so
            return [400, error.message];
        case 'entity.too.large':
            return [413, `the body must be <= ${MAX_BYTES} bytes`];
        case 'encoding.unsupported':
            return [415, 'the body must not be compressed'];
    }
    return error.status >= 400 && error.status !== 500 ? [error.status, error.message] : [500, 'failed to sum up the items'];
}

function refuseManyHeaders(req, res, next) {
    // Names and values, by turns.
    if (req.rawHeaders.length > 2 * MAX_HEADERS) {
        return answer(res, 431, `more than ${MAX_HEADERS} headers`);
    }
    next();
}

function notAllowed(res, allowed) {
    res.set('Allow', allowed);
    answer(res, 405, 'method not allowed');
}

function answer(res, status, text) {
    res.status(status).type('text/plain').send(text);
}

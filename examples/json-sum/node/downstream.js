'use strict';

// Posts a sum to the service behind this one. `withFetch` is how it always was done; `withPool` is what a Node engineer
// would do about it: undici's own interface, which is what fetch stands on, without the web streams that make up most of
// fetch's cost. Both keep connections, and wait for the whole answer.

/**
 * @typedef {object} Downstream
 * @property {string} url the service's address, to which `/process` is appended
 * @property {number} timeout milliseconds in which its whole answer must be there
 */

const { Pool } = require('undici');

/** The service behind did not take the sum. */
class DownstreamError extends Error {
    constructor(message, options) {
        super(message, options);
        this.status = 502;
    }
}

/** @param {Downstream} downstream */
function withFetch({ url, timeout }) {
    return async function post(sum) {
        // A number: what JSON.stringify takes, and it is a safe one.
        const out = JSON.stringify({ sum: Number(sum) });
        const response = await answered(async () => {
            const response = await fetch(`${url}/process`, {
                method: 'POST',
                headers: { 'content-type': 'application/json' },
                body: out,
                redirect: 'manual', // An answer like any other: the sum did not get where it should.
                signal: AbortSignal.timeout(timeout),
            });
            await response.arrayBuffer();
            return response;
        });
        refuseUnless(response.status);
    };
}

/** @param {Downstream} downstream */
function withPool({ url, timeout }) {
    const { origin, pathname: path } = new URL(`${url}/process`);
    const pool = new Pool(origin, { connect: { timeout } });
    const headers = { 'content-type': 'application/json' };
    return async function post(sum) {
        const body = JSON.stringify({ sum: Number(sum) });
        const { statusCode } = await answered(async () => {
            const signal = AbortSignal.timeout(timeout);
            const response = await pool.request({ method: 'POST', path, headers, body, signal });
            await response.body.arrayBuffer();
            return response;
        });
        refuseUnless(statusCode);
    };
}

async function answered(exchange) {
    try {
        return await exchange();
    } catch (error) {
        const reason = error.name === 'TimeoutError' ? 'timeout' : (error.cause?.code ?? error.code ?? error.message);
        throw new DownstreamError(`no answer from downstream (${reason})`, { cause: error });
    }
}

function refuseUnless(status) {
    if (status < 200 || status > 299) {
        throw new DownstreamError(`downstream answered with status ${status}`);
    }
}

module.exports = { DownstreamError, withFetch, withPool };

'use strict';

// What the environment says. Whoever sets something that makes no sense is told, and the process ends.

const os = require('node:os');

module.exports = function readSettings() {
    return {
        host: process.env.HOST || '127.0.0.1',
        port: wholeNumber('PORT', 3000, 0, 65535),
        workers: wholeNumber('TIERUP_WORKERS', os.availableParallelism(), 1, 1024),
        downstream: {
            url: httpAddress('DOWNSTREAM_URL', 'http://127.0.0.1:4000'),
            timeout: wholeNumber('DOWNSTREAM_TIMEOUT_MS', 5000, 1, 600_000),
        },
    };
};

/** An environment variable that is a whole number from `least` to `most`. */
function wholeNumber(name, otherwise, least, most) {
    const value = process.env[name] || String(otherwise);
    if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > most) {
        fail(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
    }
    return Number(value);
}

/** An environment variable that is an address to which a path can be appended. */
function httpAddress(name, otherwise) {
    const value = process.env[name] || otherwise;
    if (!URL.canParse(value) || !/^http:\/\/[^?#]+$/.test(value)) {
        fail(`${name} must be an address such as ${otherwise}, not "${value}"`);
    }
    return value.replace(/\/+$/, '');
}

function fail(message) {
    console.error(message);
    process.exit(1);
}

'use strict';

// The cases of ../../contract.json, with their bodies as bytes.

const cases = require('../../contract.json');

module.exports = cases.map(({ body, hex, ...rest }) => {
    const text = Array.isArray(body) ? body.map(([text, times]) => text.repeat(times)).join('') : body;
    return { ...rest, bytes: hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex') };
});

'use strict';

const { createHmac, timingSafeEqual } = require('node:crypto');

/**
 * @param {string} token `CONTENT.SIGNATURE`
 * @param {string} key
 * @returns {boolean} whether the signature is the HMAC-SHA-256 of the content, in base64url
 */
module.exports = (token, key) => {
    const dot = token.lastIndexOf('.');
    if (dot < 0 || key === '') {
        return false;
    }
    const right = Buffer.from(createHmac('sha256', key).update(token.slice(0, dot)).digest('base64url'));
    const signature = Buffer.from(token.slice(dot + 1));
    return signature.length === right.length && timingSafeEqual(signature, right);
};

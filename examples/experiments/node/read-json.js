'use strict';

// JSON, read strictly. What readers disagree about is refused before JSON.parse sees it: bytes that are not UTF-8, depth,
// halves of surrogate pairs, and numbers that become Infinity.

const { isUtf8 } = require('node:buffer');

const DEEPEST = 64;

const QUOTE = 0x22, BACKSLASH = 0x5c, MINUS = 0x2d, PLUS = 0x2b, POINT = 0x2e, ZERO = 0x30, NINE = 0x39;
const OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d, OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d;

/** The body is no JSON, or JSON that readers understand differently. */
class MalformedBody extends Error {}

/**
 * @param {Uint8Array} body
 * @throws {MalformedBody}
 */
function readJson(body) {
    if (!isUtf8(body)) {
        throw new MalformedBody('the body is not UTF-8');
    }
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    scan(bytes);
    try {
        return JSON.parse(bytes.toString());
    } catch {
        throw new MalformedBody('the body is not JSON');
    }
}

function scan(bytes) {
    let depth = 0;
    for (let at = 0; at < bytes.length; ) {
        const byte = bytes[at];
        if (byte === QUOTE) {
            at = afterString(bytes, at + 1);
        } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
            at = afterNumber(bytes, at);
        } else {
            if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
                depth += 1;
                if (depth > DEEPEST) {
                    throw new MalformedBody('the body is nested more than 64 deep');
                }
            } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
                depth = Math.max(depth - 1, 0);
            }
            at += 1;
        }
    }
}

/** The place behind the quote that ends a string. */
function afterString(bytes, at) {
    while (at < bytes.length) {
        const byte = bytes[at];
        if (byte === QUOTE) {
            return at + 1;
        }
        at += byte === BACKSLASH ? lengthOfEscape(bytes, at) : 1;
    }
    return at;
}

function lengthOfEscape(bytes, at) {
    const unit = unitAt(bytes, at);
    if (unit === undefined) {
        return 2;
    }
    if (unit < 0xd800 || unit > 0xdfff) {
        return 6;
    }
    const second = unit <= 0xdbff ? unitAt(bytes, at + 6) : undefined;
    if (second >= 0xdc00 && second <= 0xdfff) {
        return 12;
    }
    throw new MalformedBody('the body has half of a surrogate pair');
}

/** The UTF-16 unit that `\uXXXX` stands for, if that is what is there. */
function unitAt(bytes, at) {
    const escape = bytes.toString('latin1', at, at + 6);
    return /^\\u[0-9a-fA-F]{4}$/.test(escape) ? parseInt(escape.slice(2), 16) : undefined;
}

/** The place behind everything that a number could go on with. Only an exponent or 309 digits make one too large. */
function afterNumber(bytes, start) {
    let at = start;
    let hasExponent = false;
    for (; at < bytes.length; at++) {
        const byte = bytes[at];
        const isExponent = (byte | 0x20) === 0x65;
        if (!isExponent && !(byte >= ZERO && byte <= NINE) && byte !== POINT && byte !== MINUS && byte !== PLUS) {
            break;
        }
        hasExponent ||= isExponent;
    }
    if ((hasExponent || at - start > 300) && Math.abs(Number(bytes.toString('latin1', start, at))) === Infinity) {
        throw new MalformedBody('the body has a number that is too large');
    }
    return at;
}

module.exports = { readJson, MalformedBody };

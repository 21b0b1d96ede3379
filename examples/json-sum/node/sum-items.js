'use strict';

// Tier 0: how the service added up its items before there was any Rust. JSON.parse, and a loop.

/** Bytes that are not UTF-8 are refused, and a byte order mark is left in, for JSON.parse to refuse. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body is not what the service takes. */
class BadBody extends Error {
    constructor(message, options) {
        super(message, options);
        this.code = 'BAD_BODY';
    }
}

/**
 * @param {Uint8Array} bytes a request's body: `{"items":[{"value":n}, …]}`
 * @returns {bigint} the sum of `value * 2`. No larger than a number could be, but what the package returns for Rust's i64
 * @throws {BadBody} for anything else, and where a number can no longer be trusted
 */
module.exports = function sumItems(bytes) {
    const items = parse(bytes)?.items;
    if (!Array.isArray(items)) {
        throw new BadBody('the body is not an object with an array of "items"');
    }
    let sum = 0;
    for (let i = 0; i < items.length; i = i + 1) {
        const it = items[i];
        if (!Number.isSafeInteger(it?.value)) {
            throw new BadBody(`items[${i}].value is not a whole number of up to 2^53 - 1`);
        }
        sum = sum + it.value * 2;
        if (!Number.isSafeInteger(sum)) {
            throw new BadBody(`overflow: at items[${i}] the sum is beyond 2^53 - 1`);
        }
    }
    return BigInt(sum);
};

function parse(bytes) {
    try {
        return JSON.parse(utf8.decode(bytes));
    } catch (error) {
        throw new BadBody(`the body is not JSON: ${error.message}`, { cause: error });
    }
}

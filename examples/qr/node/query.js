'use strict';

// Query strings, read strictly. Express' own parsers take a broken percent-encoding for text, make
// objects of names like `text[a]`, and a list of a repeated name. Here a parameter is text and nothing else.

/** The query string does not say which text it means. */
class MalformedQuery extends Error {
    constructor() {
        super('malformed query string');
        this.status = 400;
    }
}

/**
 * @param {string} url a request's target, as it was sent
 * @param {string} name
 * @returns {string[]} the values of all parameters with that name
 * @throws {MalformedQuery} for a broken percent-encoding, bytes that are not UTF-8, or unencoded ones
 */
function valuesOf(url, name) {
    const start = url.indexOf('?');
    if (start === -1) {
        return [];
    }
    const query = url.slice(start + 1);
    // Node hands on bytes beyond ASCII as Latin-1: what they were meant to be is not known.
    if (/[^!-~]/.test(query)) {
        throw new MalformedQuery();
    }
    const values = [];
    for (const parameter of query.split('&')) {
        const equals = parameter.indexOf('=');
        const end = equals === -1 ? parameter.length : equals;
        const value = decode(parameter.slice(end + 1));
        if (decode(parameter.slice(0, end)) === name) {
            values.push(value);
        }
    }
    return values;
}

function decode(encoded) {
    const withSpaces = encoded.replaceAll('+', ' ');
    try {
        return withSpaces.includes('%') ? decodeURIComponent(withSpaces) : withSpaces;
    } catch {
        throw new MalformedQuery();
    }
}

module.exports = { valuesOf, MalformedQuery };

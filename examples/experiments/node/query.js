'use strict';

// The query string, of which one parameter counts. It is taken as it was sent: `fingerprint=md5` needs no decoding, and
// whatever would have to be decoded first is something else.

/** The query asks for something that there is not. */
class WrongQuery extends Error {}

/**
 * @param {string} url a request's target
 * @returns {boolean} whether the name is to be replaced by its fingerprint
 * @throws {WrongQuery} for another fingerprint than MD5
 */
function wantsFingerprint(url) {
    const start = url.indexOf('?');
    if (start === -1) {
        return false;
    }
    let wanted = false;
    for (const parameter of url.slice(start + 1).split('&')) {
        if (parameter === 'fingerprint=md5') {
            wanted = true;
        } else if (parameter === 'fingerprint' || parameter.startsWith('fingerprint=')) {
            throw new WrongQuery('must be md5');
        }
    }
    return wanted;
}

module.exports = { wantsFingerprint, WrongQuery };

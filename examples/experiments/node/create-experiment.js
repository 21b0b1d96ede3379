'use strict';

// Tier 0: how the server checked experiments before there was any Rust.

const { createHash } = require('node:crypto');
const { MalformedBody, readJson } = require('./read-json');

/** A body of 64 KiB has room for thousands of errors. */
const MOST_ERRORS = 100;
/** `33.3 + 33.3 + 33.4` is not quite 100. */
const TOLERANCE = 1e-6;

/**
 * @param {Uint8Array} body
 * @param {number | bigint | null} [fingerprintAt] seconds since 1970
 * @returns {{ type: 'Valid' | 'Invalid' | 'Malformed', value: string }}
 */
module.exports = function createExperiment(body, fingerprintAt) {
    let value;
    try {
        value = readJson(body);
    } catch (error) {
        if (error instanceof MalformedBody) {
            return { type: 'Malformed', value: JSON.stringify({ errors: [{ path: '', message: error.message }] }) };
        }
        throw error;
    }
    const errors = check(value);
    if (errors.length > 0) {
        return { type: 'Invalid', value: JSON.stringify({ errors: errors.slice(0, MOST_ERRORS) }) };
    }
    let { name } = value;
    if (fingerprintAt != null) {
        name = createHash('md5').update(`${name}-${fingerprintAt}`).digest('hex');
    }
    const variants = value.variants.map(({ name, allocation_percent }) => ({ name, allocation_percent }));
    return { type: 'Valid', value: JSON.stringify({ name, variants }) };
};

function check(experiment) {
    const errors = [];
    const report = (path, message) => errors.push({ path, message });
    if (!isObject(experiment)) {
        report('', 'must be an object');
        return errors;
    }
    checkName(experiment.name, 'name', report);
    const { variants } = experiment;
    if (variants === undefined) {
        report('variants', 'is missing');
    } else if (!Array.isArray(variants)) {
        report('variants', 'must be a list');
    } else if (variants.length === 0) {
        report('variants', 'must not be empty');
    } else {
        checkVariants(variants, errors, report);
    }
    return errors;
}

function checkVariants(variants, errors, report) {
    const names = new Map();
    let sum = 0; // NaN once a share is none
    for (let index = 0; index < variants.length; index++) {
        if (errors.length >= MOST_ERRORS) {
            return;
        }
        const path = `variants[${index}]`;
        const variant = variants[index];
        if (!isObject(variant)) {
            report(path, 'must be an object');
            sum = NaN;
            continue;
        }
        const { name } = variant;
        if (checkName(name, `${path}.name`, report)) {
            if (names.has(name)) {
                report(`${path}.name`, `is the name of variants[${names.get(name)}] too`);
            } else {
                names.set(name, index);
            }
        }
        const problem = problemOfShare(variant.allocation_percent);
        if (problem) {
            report(`${path}.allocation_percent`, problem);
            sum = NaN;
        } else {
            sum += variant.allocation_percent;
        }
    }
    if (Math.abs(sum - 100) > TOLERANCE) {
        report('variants', `the shares are ${sum} in all, not 100`);
    }
}

function checkName(name, path, report) {
    if (name === undefined) {
        report(path, 'is missing');
    } else if (typeof name !== 'string') {
        report(path, 'must be text');
    } else if (name === '' || characters(name) > 200) {
        report(path, 'must have 1 to 200 characters');
    } else {
        return true;
    }
    return false;
}

/** A character beyond U+FFFF counts once, although it takes two units of a string. */
function characters(text) {
    return text.length <= 200 ? text.length : [...text].length;
}

function problemOfShare(share) {
    if (share === undefined) {
        return 'is missing';
    }
    if (typeof share !== 'number') {
        return 'must be a number';
    }
    return share >= 0 && share <= 100 ? undefined : 'must be from 0 to 100';
}

function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

'use strict';

// Describes values as types, for the witness. In: a value. Out: its type, without any content. No code of the value
// runs: no getter, no `toString`, no trap of a proxy.

const { createHash } = require('node:crypto');
const { types } = require('node:util');
const { fileURLToPath } = require('node:url');

/** The most elements of a list that are inspected. If a later one differs, the call itself will be refused. */
const MOST_ELEMENTS = 1000;
const DEEPEST = 8;

module.exports = (key) => {
    const GLOBAL = '__tierup_witness';

    /** Adds the type of a value, once, and the time. `source` is the text of the function's file. */
    function add(known, times, value, at, source) {
        const shape = shapeOf(value, source, 0);
        const text = JSON.stringify(shape);
        const place = known.findIndex((other) => JSON.stringify(other) === text);
        if (place >= 0) {
            times[place].push(at);
        } else if (known.length < MOST_ELEMENTS) {
            known.push(shape);
            times.push([at]);
        }
    }

    function shapeOf(value, source, depth) {
        const refused = (why) => ({ is: 'refused', why });
        switch (typeof value) {
            case 'undefined':
                return { is: 'absent' };
            case 'string':
                return value.isWellFormed?.() === false ? refused('text with half of a surrogate pair') : { is: 'text' };
            case 'boolean':
                return { is: 'bool' };
            case 'number':
                return number(value);
            case 'bigint':
                if (BigInt.asIntN(64, value) === value) {
                    return { is: 'wide', signed: true };
                }
                return BigInt.asUintN(64, value) === value
                    ? { is: 'wide', signed: false }
                    : refused('a bigint of more than 64 bits');
            case 'object':
                break;
            default:
                return refused(`a ${typeof value}`);
        }
        if (value === null) {
            return { is: 'absent' };
        }
        if (types.isProxy(value)) {
            return refused('a Proxy');
        }
        if (types.isUint8Array(value)) {
            return { is: 'bytes' };
        }
        if (depth >= DEEPEST) {
            return refused(`a value nested deeper than ${DEEPEST} levels`);
        }
        if (Array.isArray(value)) {
            const of = [];
            for (const { value: element } of own(value).slice(0, MOST_ELEMENTS)) {
                addShape(of, shapeOf(element, source, depth + 1));
            }
            return { is: 'list', of };
        }
        if (types.isMap(value)) {
            const of = [];
            for (const [name, element] of Map.prototype.entries.call(value)) {
                if (typeof name !== 'string') {
                    return refused('a Map whose keys are not text');
                }
                addShape(of, shapeOf(element, source, depth + 1));
            }
            return { is: 'map', of };
        }
        const prototype = Object.getPrototypeOf(value);
        if (prototype !== null && prototype !== Object.prototype) {
            return refused(`an object of the class ${className(prototype)}`);
        }
        const entries = own(value);
        if (entries.some(({ getter }) => getter)) {
            return refused('an object with getters');
        }
        // Names that are not in the source are data, which must not leave the process.
        const isRecord =
            entries.length > 0 &&
            entries.every(({ name }) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && new RegExp(`\\b${name}\\b`).test(source));
        if (isRecord) {
            const fields = entries.map(({ name, value: field }) => [name, shapeOf(field, source, depth + 1)]);
            return { is: 'record', fields };
        }
        const of = [];
        for (const { value: element } of entries.slice(0, MOST_ELEMENTS)) {
            addShape(of, shapeOf(element, source, depth + 1));
        }
        return { is: 'map', of };
    }

    function addShape(known, shape) {
        const text = JSON.stringify(shape);
        if (!known.some((other) => JSON.stringify(other) === text)) {
            known.push(shape);
        }
    }

    function number(value) {
        if (!Number.isInteger(value) || Object.is(value, -0)) {
            return { is: 'float' };
        }
        // Beyond 32 bits, the package uses bigints.
        if (value < -(2 ** 31) || value >= 2 ** 32) {
            return { is: 'float' };
        }
        return { is: 'whole', signed: value < 0, large: value >= 2 ** 31 };
    }

    /** The own, enumerable properties, without running a getter; an array's elements. */
    function own(value) {
        const properties = [];
        for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
            const descriptor = Object.getOwnPropertyDescriptor(value, name);
            properties.push({ name: String(name), value: descriptor?.value, getter: descriptor?.get !== undefined });
            if (properties.length > MOST_ELEMENTS) {
                break;
            }
        }
        return properties;
    }

    function className(prototype) {
        const made = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
        const name = typeof made === 'function' ? Object.getOwnPropertyDescriptor(made, 'name')?.value : undefined;
        return typeof name === 'string' && /^[\w$]{1,60}$/.test(name) ? name : 'without a name';
    }

    /** A hash of a value that may come from a request. Only tierup can compute it. */
    function word(value) {
        switch (typeof value) {
            case 'string':
            case 'number':
            case 'boolean':
                return keyed(String(value));
            default:
                return types.isUint8Array(value) ? keyed(value) : null;
        }
    }

    function keyed(value) {
        return createHash('sha256').update(`${key}\0`).update(value).digest('hex');
    }

    /** The plain hash of text or bytes, as in `[health]`. */
    function hash(value) {
        return typeof value === 'string' || types.isUint8Array(value) ? createHash('sha256').update(value).digest('hex') : null;
    }

    function path(url) {
        try {
            return url.startsWith('file:') ? fileURLToPath(url) : url;
        } catch {
            return url;
        }
    }

    return { GLOBAL, add, word, hash, path };
};

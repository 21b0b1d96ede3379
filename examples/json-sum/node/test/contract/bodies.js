'use strict';

// Which bodies have a sum.

const { test } = require('node:test');
const { assertRefused, assertSum } = require('./service');

const items = (...values) => `{"items":[${values.map((value) => `{"value":${value}}`).join(',')}]}`;
/** A body for each value. */
const each = (...values) => values.map((value) => items(value));
const deep = (open, close) => `${open.repeat(100_000)}0${close.repeat(100_000)}`;

const SUMS = {
    'one item': [items(21), 42],
    'twenty items': [items(...Array(20).keys()), 380],
    'no items': [items(), 0],
    'negative values': [items(-1, -2, 1), -4],
    'values that cancel out': [items(-5, 5), 0],
    'minus zero': [items('-0'), 0],
    'a whole number with a point': [items('1.0', '20.00'), 42],
    'a whole number with an exponent': [items('2e1', '1E+0', '0.3e1', '40e-1'), 56],
    'so near to a whole number that JavaScript cannot tell': [items('0.99999999999999999999'), 2],
    'so near to zero that JavaScript cannot tell': [items('1e-400'), 0],
    'the largest sum': [items(4503599627370495), 9007199254740990],
    'the smallest sum': [items(-4503599627370495), -9007199254740990],
    'space wherever it may be': [' \t\r\n{ "items" : [ { "value" : 21 } ] } \n', 42],
    'keys that nobody asked for': ['{"a":[null,true,"x"],"items":[{"id":"b","value":21,"tags":{}}],"c":1.5e400}', 42],
    'escaped keys': [String.raw`{"\u0069tems":[{"\u0076alue":21}]}`, 42],
    'items twice: the last ones': ['{"items":[{"value":1}],"items":[{"value":21}]}', 42],
    'items twice, the first ones of another shape': ['{"items":null,"items":[{"value":21}]}', 42],
    'items twice, the first ones out of range': [String.raw`{"items":[1e400,"\ud800"],"items":[{"value":21}]}`, 42],
    'a value twice: the last one': ['{"items":[{"value":"x","value":1e400,"value":21}]}', 42],
    'names that JavaScript knows': ['{"__proto__":{"items":[]},"items":[{"__proto__":null,"value":21}]}', 42],
    'half a surrogate pair': [String.raw`{"\ud800":"\udc00","items":[{"value":21}]}`, 42],
    'emoji': ['{"🦀":"🦀","items":[{"value":21}]}', 42],
    'arrays 100,000 deep': [`{"x":${deep('[', ']')},"items":[{"value":21}]}`, 42],
    'objects 100,000 deep': [`{"items":[{"x":${deep('{"a":', '}')},"value":21}]}`, 42],
    'ten thousand items': [items(...Array(10_000).fill(1)), 20_000],
};

const REFUSED = {
    'no object': ['null', '5', 'true', '"items"', '[]', '[{"items":[]}]'],
    'no items': ['{}', '{"Items":[]}', '{"item":[]}', '{"__proto__":{"items":[]}}'],
    'items that are no array': [
        ...['{"items":null}', '{"items":1}', '{"items":"x"}'],
        ...['{"items":{"length":0}}', '{"items":[],"items":{}}'],
    ],
    'an item that is no object': [
        ...['{"items":[1]}', '{"items":[null]}', '{"items":[[1]]}', '{"items":["value"]}'],
        `{"items":${deep('[', ']')}}`,
    ],
    'an item without a value': ['{"items":[{}]}', '{"items":[{"Value":1}]}', '{"items":[{"__proto__":{"value":1}}]}'],
    'a value that is no number': each('null', 'true', '"1"', '""', '[]', '[1]', '{}', deep('{"a":', '}')),
    'a fraction': each('1.5', '1e-1', '-0.5', '4503599627370495.5'),
    'a number that JavaScript cannot hold': [
        ...each('9007199254740992', '9007199254740993', '-9007199254740992'),
        ...each('18446744073709551616', '1e400', '-1e400'),
    ],
    'a value twice, the last one no number': ['{"items":[{"value":1,"value":null}]}'],
    'nothing, or space': ['', ' ', '\n\n'],
    'half a body': ['{', '{"items":[{"value":1}]', '{"items":[{"val', '['.repeat(100_000)],
    'more than a body': ['{"items":[]}{}', '{"items":[]} x', '{"items":[]}\0', '{"items":[]}//'],
    'what other readers take': [
        ...['{"items":[],}', '{"items":[{"value":1},]}', '{items:[]}', "{'items':[]}"],
        ...['{"items":[]/**/}', '\u00a0{"items":[]}'],
    ],
    'what other readers take for a number': [
        ...each('01', '.5', '1.', '+1', '0x1', '1_000'),
        ...each('NaN', '-Infinity', 'undefined', '1e', '-'),
    ],
    'a control character in a text': ['{"a":"\t","items":[]}', '{"a\n":1,"items":[]}', '{"a":"\0","items":[]}'],
    'an escape that is none': [
        String.raw`{"a":"\x41","items":[]}`,
        String.raw`{"a":"\u12","items":[]}`,
        String.raw`{"a\'":1,"items":[]}`,
    ],
    'a byte order mark': ['\ufeff{"items":[]}'],
    'bytes that are not UTF-8': ['ff', 'fffefd', 'c3', 'eda080', 'c0af', 'f4908080'].map((hex) =>
        Buffer.concat([Buffer.from('{"items":[],"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]),
    ),
    'UTF-16': [Buffer.from('{"items":[]}', 'utf16le')],
};

const OVERFLOWS = {
    'one value': items(4503599627370496),
    'one negative value': items(-4503599627370496),
    'the largest value there is': items(9007199254740991),
    'the last item': items(4503599627370495, 1),
    'an item in the middle': items(4503599627370495, 1, -1),
    'many items': items(...Array(2000).fill(4503599627370)),
};

for (const [what, [body, sum]] of Object.entries(SUMS)) {
    test(`200: ${what}`, () => assertSum(body, sum));
}

for (const [what, bodies] of Object.entries(REFUSED)) {
    test(`400: ${what}`, async () => {
        for (const body of bodies) {
            await assertRefused(body, 400);
        }
    });
}

for (const [what, body] of Object.entries(OVERFLOWS)) {
    test(`400: overflow by ${what}`, () => assertRefused(body, 400, /overflow/));
}

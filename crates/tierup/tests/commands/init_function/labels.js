'use strict';

const fold = (word) => word.toLowerCase();

/** A label's lines, and how often each word is in it. */
function label(title, { length } = '', width = 12) {
    return { lines: title.length + length + width };
}

function count(title, width = 12, price) {
    const words = {};
    for (const word of fold(title).split(' ')) {
        words[word] = (words[word] ?? 0) + 1;
    }
    return { lines: title.match(new RegExp(`.{1,${width}}`, 'g')) ?? [], words, price: price ?? null };
}

async function barcode(text, copies) {
    await null;
    return Buffer.from(text.repeat(copies));
}

class Shelf {
    put(text) {
        this.last = text;
        return text;
    }
    twice(text) {
        return text + text;
    }
}

class Box {
    twice(text) {
        return text.length;
    }
}

function answer(request, response) {
    response.end('x');
}

module.exports = { label, count, barcode, Shelf, Box, answer };

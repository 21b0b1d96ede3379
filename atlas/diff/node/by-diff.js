'use strict';

const { diffLines } = require('diff');

/** @param {string} before @param {string} after @returns {number} lines that were removed or added */
module.exports = (before, after) =>
    diffLines(before, after).reduce((sum, part) => (part.added || part.removed ? sum + part.count : sum), 0);

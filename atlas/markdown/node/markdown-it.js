'use strict';

const MarkdownIt = require('markdown-it');

const commonMark = new MarkdownIt('commonmark');

/** @param {string} markdown @returns {string} HTML */
module.exports = (markdown) => commonMark.render(markdown);

'use strict';

const { Marked } = require('marked');

// `gfm` is marked's default, and would add tables, autolinks and strikethrough, which the other libraries do without.
const commonMark = new Marked({ gfm: false });

/** @param {string} markdown @returns {string} HTML */
module.exports = (markdown) => commonMark.parse(markdown);

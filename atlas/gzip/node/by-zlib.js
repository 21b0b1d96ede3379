'use strict';

const { gzipSync } = require('node:zlib');

/** @param {string} text @returns {Buffer} the text, compressed at level 6 */
module.exports = (text) => gzipSync(text, { level: 6 });

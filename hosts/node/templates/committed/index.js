// Made by tierup; the same in every package. What is exported: see index.d.ts.
//
// The package that `tierup build` made, if there is one; otherwise tier 0, the server's own functions.
'use strict';

const { builtPackage } = require('./lib/place');

module.exports = require(builtPackage() ?? './tier0');

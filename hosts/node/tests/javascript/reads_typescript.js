'use strict';
// As `ts-node/register` does, for TypeScript that is JavaScript, too.

require.extensions['.ts'] = require.extensions['.js'];

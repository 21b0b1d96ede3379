'use strict';
// Acts as `ts-node/register`, for TypeScript that is also JavaScript.

require.extensions['.ts'] = require.extensions['.js'];

'use strict';

// The HTTP contract, which is the same at every tier. `npm test` checks this folder's server. To check any that runs
// already, in whatever language, say where it is and where it posts to:
//
//   TIERUP_URL=http://127.0.0.1:3000 DOWNSTREAM_URL=http://127.0.0.1:4000 npm test
//
// One file for `node --test`, because all of them need that one port.

require('./contract/bodies');
require('./contract/envelope');
require('./contract/downstream');

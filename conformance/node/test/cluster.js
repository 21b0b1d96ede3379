'use strict';
// Two workers of Node's cluster call a function at the variant that the command line names. Prints how many got its answer.

const cluster = require('node:cluster');
const c = require('conformance').with({ tier: process.argv[2] });

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  let answered = 0;
  let ended = 0;
  for (const worker of workers) {
    worker.on('message', (text) => {
      if (text === 'cba') answered += 1;
    });
    worker.on('exit', () => {
      ended += 1;
      if (ended === workers.length) console.log(`${answered} of ${workers.length}`);
    });
  }
} else {
  c.printAndReturn('abc').then((text) => process.send(text, () => process.exit(0)));
}

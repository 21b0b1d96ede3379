'use strict';

// Sums of JSON over HTTP, in one process per core. Settings come from the environment: those of settings.js, and what
// `json-sum` reads itself, TIERUP_TIER above all.

const cluster = require('node:cluster');
const settings = require('./settings')();

if (cluster.isPrimary) {
    const { superviseWorkers } = require('./workers');
    superviseWorkers(settings.workers);
} else {
    serve(settings);
}

function serve({ host, port, downstream }) {
    const sumItemsInJavaScript = require('./sum-items');
    const { sumItems, checkHealth, tier } = require('json-sum').with({
        baseline: sumItemsInJavaScript,
        // What can be tuned without Rust is how sums are posted, see below.
        baselines: { tuned: sumItemsInJavaScript },
    });
    const { withFetch, withPool } = require('./downstream');
    // Tier 0 is the service as it was. All other rows post in the best way that Node has, so that what is between
    // them and `0:tuned` is the function and nothing else.
    const post = tier === '0' ? withFetch(downstream) : withPool(downstream);

    const app = require('./app')({ sumItems, post, checkHealth });
    const server = app.listen(port, host, (error) => {
        if (error) {
            return process.send({ failed: `cannot listen on ${host}:${port}: ${reason(error)}` }, () => process.exit(1));
        }
        process.send({ listening: `http://${host.includes(':') ? `[${host}]` : host}:${server.address().port}`, tier });
    });
    require('./unreadable')(server);

    let stopping = false;
    const stop = () => {
        if (stopping) {
            return;
        }
        stopping = true;
        if (!server.listening) {
            process.exit(0);
        }
        server.close(() => process.exit(0));
        // A connection with a request in flight becomes idle once that is answered, and would then be
        // kept open for the next.
        setInterval(() => server.closeIdleConnections(), 50);
    };
    process.on('message', stop); // The primary has only one thing to say.
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop); // Ctrl-C reaches every process of a terminal.
}

function reason(error) {
    return error.code === 'EADDRINUSE' ? 'the port is in use; choose another with PORT' : error.message;
}

'use strict';

// Experiments over HTTP, in one process per core. Settings come from the environment: HOST, PORT, TIERUP_WORKERS and
// EXPERIMENTS_NOW here, and what `experiments` reads itself, TIERUP_TIER above all.

const cluster = require('node:cluster');
const os = require('node:os');

const host = process.env.HOST || '127.0.0.1';
const port = wholeNumber('PORT', 3000, 0, 65535);
const workers = wholeNumber('TIERUP_WORKERS', os.availableParallelism(), 1, 1024);
/** A time that stands still, for tests and comparisons. */
const fixedNow = process.env.EXPERIMENTS_NOW ? wholeNumber('EXPERIMENTS_NOW', 0, 0, Number.MAX_SAFE_INTEGER) : undefined;

/** Thousands of clients may connect at the same moment; the system cuts it to its own limit. */
const BACKLOG = 4096;

if (cluster.isPrimary) {
    const { superviseWorkers } = require('./workers');
    superviseWorkers(workers);
} else {
    serve();
}

function serve() {
    const { createExperiment, checkHealth, tier } = require('experiments').with({
        baseline: require('./create-experiment'),
    });
    const createApp = require('./app');
    const now = () => fixedNow ?? Math.floor(Date.now() / 1000);

    const server = require('node:http').createServer(createApp({ createExperiment, checkHealth, now }));
    server.once('error', (error) => {
        process.send({ failed: `cannot listen on ${host}:${port}: ${reason(error)}` }, () => process.exit(1));
    });
    server.listen({ port, host, backlog: BACKLOG }, () => {
        process.send({ listening: `http://${host.includes(':') ? `[${host}]` : host}:${server.address().port}`, tier });
    });

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

/** An environment variable that is a whole number from `least` to `most`. */
function wholeNumber(name, otherwise, least, most) {
    const value = process.env[name] || String(otherwise);
    if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > most) {
        console.error(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
        process.exit(1);
    }
    return Number(value);
}

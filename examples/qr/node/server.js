'use strict';

// QR codes over HTTP, in one process per core. Settings come from the environment: HOST, PORT and
// TIERUP_WORKERS here, and what `qr` reads itself, TIERUP_TIER above all.

const cluster = require('node:cluster');
const os = require('node:os');

const host = process.env.HOST || '127.0.0.1';
const port = wholeNumber('PORT', 42069, 0, 65535);
const workers = wholeNumber('TIERUP_WORKERS', os.availableParallelism(), 1, 1024);

if (cluster.isPrimary) {
    const { superviseWorkers } = require('./workers');
    superviseWorkers(workers);
} else {
    serve();
}

function serve() {
    const { generateQrCode, checkHealth, tier } = require('qr').with({
        baseline: require('./generate-qr'),
        baselines: { tuned: require('./generate-qr-tuned') },
    });
    const createApp = require('./app');
    const createServer = require('./http-server');

    const server = createServer(createApp({ generateQrCode, checkHealth }));
    server.once('error', (error) => {
        process.send({ failed: `cannot listen on ${host}:${port}: ${reason(error)}` }, () => process.exit(1));
    });
    server.listen(port, host, () => {
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

'use strict';

// The service behind the one under test, played by the test: it writes down what it gets, and answers as it is told.

const { once } = require('node:events');
const http = require('node:http');

/** @param {number} port 0 for any that is free; later always the same */
async function startRecorder(port = 0) {
    const recorder = {
        /** What came, in order: method, path, content type and body. */
        calls: [],
        /** How a call is answered; a test may replace it, and `reset` brings it back. */
        answer: undefined,
        reset() {
            recorder.calls = [];
            recorder.answer = content;
        },
        open,
        close,
    };
    let server;

    async function open() {
        server = http.createServer((request, response) => {
            const parts = [];
            request.on('data', (part) => parts.push(part));
            request.on('end', () => {
                const { method, url: path, headers } = request;
                recorder.calls.push({ method, path, type: headers['content-type'], body: Buffer.concat(parts).toString() });
                recorder.answer(response);
            });
        });
        // On a busy machine, it would close connections while the server under test sends its next request on them.
        server.keepAliveTimeout = 0;
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
        ({ port } = server.address());
        recorder.url = `http://127.0.0.1:${port}`;
    }

    /** From here on connections are refused, and those that are open have ended. */
    async function close() {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
    }

    recorder.reset();
    await open();
    return recorder;
}

function content(response) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
}

module.exports = { startRecorder };

'use strict';

// A rewrite that answers every request just as the service does, and is wrong all the same. What is wrong, WRONG says:
//
//   skip   answers without having posted the sum
//   twice  posts it twice
//   sum    posts another one
//
// Without WRONG it is right. It shows whether whoever compares servers looks at what they post. PORT and DOWNSTREAM_URL
// are as for the service; nothing has to be installed or built.

const http = require('node:http');
const sumItems = require('../sum-items');
const answerUnreadable = require('../unreadable');

const { PORT = '3000', DOWNSTREAM_URL = 'http://127.0.0.1:4000', DOWNSTREAM_TIMEOUT_MS = '5000', WRONG } = process.env;
const MAX_BYTES = 1024 * 1024;

const POSTS = {
    right: (sum) => post(sum),
    skip: () => {},
    twice: async (sum) => {
        await post(sum);
        await post(sum);
    },
    sum: (sum) => post(sum + 1n),
};
const postWrongly = POSTS[WRONG || 'right'];
if (postWrongly === undefined) {
    console.error(`WRONG must be skip, twice or sum, not "${WRONG}"`);
    process.exit(1);
}

/** Why there is no better answer. */
class Problem extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

const ROUTES = {
    '/': ['POST', handle],
    '/livez': ['GET,HEAD', () => ['text/plain', 'ok']],
    '/readyz': ['GET,HEAD', () => ['text/plain', 'ok']],
};

const server = http.createServer(async (request, response) => {
    try {
        const [type, text] = await route(request, response);
        send(response, 200, type, text);
    } catch (error) {
        const status = error.code === 'BAD_BODY' ? 400 : (error.status ?? 500);
        send(response, status, 'text/plain', error.message);
    }
});
answerUnreadable(server);
server.listen(Number(PORT), process.env.HOST || '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port} (${WRONG ? `wrong: ${WRONG}` : 'right'})`);
});
process.on('SIGTERM', () => process.exit(0));

function route(request, response) {
    request.resume(); // whatever of it nobody reads
    const path = request.url.split('?')[0];
    if (request.rawHeaders.length > 200) {
        throw new Problem(431, 'more than 100 headers');
    }
    if (!Object.hasOwn(ROUTES, path)) {
        throw new Problem(404, 'not found');
    }
    const [methods, answer] = ROUTES[path];
    if (!methods.split(',').includes(request.method)) {
        response.setHeader('Allow', methods);
        throw new Problem(405, 'method not allowed');
    }
    return answer(request);
}

async function handle(request) {
    const { 'content-encoding': encoding, 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    if ((length ?? chunked) !== undefined && (encoding || 'identity').toLowerCase() !== 'identity') {
        throw new Problem(415, 'the body must not be compressed');
    }
    await postWrongly(sumItems(await read(request)));
    return ['application/json', '{"ok":true}'];
}

/** The whole body; what is too large is read to its end, but not kept. */
async function read(request) {
    const parts = [];
    let length = 0;
    for await (const part of request) {
        length += part.length;
        if (length <= MAX_BYTES) {
            parts.push(part);
        }
    }
    if (length > MAX_BYTES) {
        throw new Problem(413, `the body must be <= ${MAX_BYTES} bytes`);
    }
    return Buffer.concat(parts);
}

async function post(sum) {
    const options = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sum: Number(sum) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(Number(DOWNSTREAM_TIMEOUT_MS)),
    };
    const status = await fetch(`${DOWNSTREAM_URL}/process`, options)
        .then(async (response) => (await response.arrayBuffer(), response.status))
        .catch(() => 'failed');
    if (!(status >= 200 && status <= 299)) {
        throw new Problem(502, `downstream: ${status}`);
    }
}

function send(response, status, type, text) {
    response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': Buffer.byteLength(text) });
    response.end(text);
}

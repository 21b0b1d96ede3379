'use strict';

// Starts this folder's server on a free port, and asks servers things that `fetch` would tidy up.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');

const FOLDER = path.dirname(__dirname);

/** The servers that have not ended. */
const running = new Set();

// A test that is interrupted leaves nothing behind: a signal alone would end this process without its `exit`.
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => process.exit(1));
}
process.once('exit', killServers);

/** Starts `script` with `env` added to the environment; it may fail to. */
function spawnServer(env = {}, script = 'server.js') {
    const child = spawn(process.execPath, [script], {
        cwd: FOLDER,
        env: { ...process.env, HOST: '127.0.0.1', PORT: '0', TIERUP_WORKERS: '2', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true, // a process group of its own, as a shell gives it
    });
    const run = { process: child, stdout: '', stderr: '', exit: once(child, 'exit') };
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.stdout.on('data', (data) => (run.stdout += data));
    child.stderr.on('data', (data) => (run.stderr += data));
    return run;
}

/** Kills the servers that a test left running, with their workers. */
function killServers() {
    for (const { pid } of running) {
        process.kill(-pid, 'SIGKILL');
    }
}

/** Starts the server and waits until it listens. */
async function startServer(env, script) {
    const run = spawnServer(env, script);
    const exited = run.exit.then(([code]) => {
        throw new Error(`the server ended with code ${code}:\n${run.stderr}`);
    });
    exited.catch(() => {});
    while (!run.stdout.includes('\n')) {
        await Promise.race([once(run.process.stdout, 'data'), exited]);
    }
    const [, url] = /^listening on (http:\S+)/.exec(run.stdout);
    return Object.assign(run, {
        url,
        stop: async () => {
            run.process.kill('SIGTERM');
            const [code] = await run.exit;
            return code;
        },
    });
}

/**
 * Sends a request as it is, on a connection of its own.
 *
 * @param {string} url the server's
 * @param {{ method?: string, target?: string, headers?: object, body?: string | Buffer, chunked?: boolean }} what
 */
function send(url, { method = 'POST', target = '/', headers = {}, body, chunked = false }) {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
        const length = body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) };
        const options = { hostname, port, method, path: target, headers: { ...length, ...headers }, agent: false };
        const request = http.request(options, (response) => {
            const parts = [];
            response.on('data', (part) => parts.push(part));
            response.on('end', () =>
                resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString() }),
            );
            response.on('error', reject);
        });
        request.on('error', reject);
        if (chunked) {
            // Two writes, so that there are two chunks.
            const bytes = Buffer.from(body);
            request.write(bytes.subarray(0, bytes.length / 2));
            return request.end(bytes.subarray(bytes.length / 2));
        }
        request.end(body);
    });
}

module.exports = { killServers, send, spawnServer, startServer };

'use strict';

// Starts this folder's server on a free port, and asks servers things that `fetch` would tidy up.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');

const FOLDER = path.dirname(__dirname);

/** The servers that have not ended. */
const running = new Set();

/** Starts the server with `env` added to the environment; it may fail to. */
function spawnServer(env = {}) {
    const child = spawn(process.execPath, ['server.js'], {
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
async function startServer(env) {
    const run = spawnServer(env);
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

/** Sends `target` as it is, on a connection of its own. */
function get(url, target) {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
        const request = http.get({ hostname, port, path: target, agent: false }, (response) => {
            const parts = [];
            response.on('data', (part) => parts.push(part));
            response.on('end', () =>
                resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
            );
            response.on('error', reject);
        });
        request.on('error', reject);
    });
}

module.exports = { get, killServers, spawnServer, startServer };

'use strict';

// `tierup shadow` under load, for the `shadow.js` of the examples. It needs `cargo build --release` in the repository, or
// TIERUP, which names another program.

const { spawn } = require('node:child_process');
const http = require('node:http');
const path = require('node:path');
const { once } = require('node:events');

const { TIERUP = path.join(__dirname, '../target/release/tierup') } = process.env;
const IN_FLIGHT = 64;

/**
 * Starts `tierup shadow` on a free port. Out: its process id, its port, and `stop`, which resolves to its report and to what it
 * wrote to standard error.
 */
async function start(words, environment = {}) {
    const options = { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] };
    const shadow = spawn(TIERUP, ['shadow', ...words, '--json', '--listen', '127.0.0.1:0'], options);
    process.on('exit', () => shadow.kill());
    const ended = once(shadow, 'close');
    let [report, said] = ['', ''];
    shadow.stdout.on('data', (data) => (report += data));
    const port = await new Promise((listens, failed) => {
        shadow.stderr.on('data', (data) => {
            said += data;
            const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
            if (found) listens(Number(found[1]));
        });
        shadow.on('error', failed);
        shadow.on('close', () => failed(new Error(said)));
    });
    const stop = async () => {
        shadow.kill('SIGINT');
        await ended;
        return { report: JSON.parse(report), said };
    };
    return { pid: shadow.pid, port, stop };
}

/**
 * Sends requests, 64 in flight. `request(number)` describes one: options of `http.request`, and a `body`. `answered(count)` is
 * called after each answer. Out: the statuses that are not 200.
 */
async function load(port, requests, request, answered = () => {}) {
    const agent = new http.Agent({ keepAlive: true });
    const ask = ({ body, ...options }) =>
        new Promise((answer, failed) => {
            const asked = http.request({ host: '127.0.0.1', port, agent, ...options }, (response) => {
                response.resume();
                response.on('end', () => answer(response.statusCode));
            });
            asked.on('error', failed);
            asked.end(body);
        });
    let [next, count] = [0, 0];
    const refused = [];
    const client = async () => {
        while (next < requests) {
            const status = await ask(request(next++));
            if (status !== 200) refused.push(status);
            answered(++count);
        }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    agent.destroy();
    return refused;
}

module.exports = { load, start };

'use strict';

// A shadow of this server under load: `node shadow.js [REQUESTS]`, after `cargo build --release` in the repository. TIERUP names
// another program; CONTROL and CANDIDATE other rows than 0:tuned and 4.
//
// Both draw pictures that are compressed in different ways, so the project's normalizer reads the text out of each. No
// picture may differ, and the proxy's memory must not grow: it is printed ten times on the way.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { once } = require('node:events');

const requests = Number(process.argv[2] ?? 1_000_000);
const {
    TIERUP = path.join(__dirname, '../../target/release/tierup'),
    CONTROL = '0:tuned',
    CANDIDATE = '4',
} = process.env;
const IN_FLIGHT = 64;

/** Of a process, in MiB. */
function resident(pid) {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 102.4) / 10;
}

async function main() {
    const state = fs.mkdtempSync(path.join(os.tmpdir(), 'qr-shadow-'));
    const words = ['shadow', __dirname, '--host', 'node', '--control', CONTROL, '--candidate', CANDIDATE, '--twin', 'none'];
    const options = { stdio: ['ignore', 'pipe', 'pipe'] };
    const shadow = spawn(TIERUP, [...words, '--state', state, '--json', '--listen', '127.0.0.1:0'], options);
    const ended = once(shadow, 'close');
    let [report, said] = ['', ''];
    shadow.stdout.on('data', (data) => (report += data));
    const port = await new Promise((listens, failed) => {
        shadow.stderr.on('data', (data) => {
            said += data;
            const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
            if (found) listens(Number(found[1]));
        });
        shadow.on('close', () => failed(new Error(said)));
    });

    const agent = new http.Agent({ keepAlive: true });
    const ask = (text) =>
        new Promise((answered, failed) => {
            const request = http.get({ port, agent, path: `/qrcode?text=${encodeURIComponent(text)}` }, (response) => {
                response.resume();
                response.on('end', () => answered(response.statusCode));
            });
            request.on('error', failed);
        });
    let next = 0;
    const refused = [];
    const memory = [];
    const client = async () => {
        while (next < requests) {
            const number = next++;
            const status = await ask(`https://example.org/${number % 5_000}`);
            if (status !== 200) refused.push(status);
            if ((number + 1) % Math.ceil(requests / 10) === 0) {
                memory.push(resident(shadow.pid));
                console.log(`${number + 1} requests, the proxy's memory: ${memory.at(-1)} MiB`);
            }
        }
    };
    const began = Date.now();
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    const seconds = (Date.now() - began) / 1000;
    agent.destroy();
    shadow.kill('SIGINT');
    await ended;
    fs.rmSync(state, { recursive: true });

    const { coverage, routes } = JSON.parse(report);
    const { same, mismatch } = Object.values(routes)[0].tally;
    console.log({ requests, seconds, refused: refused.length, compared: coverage.compared, same, mismatch });
    // Buffers are filled in the first tenth of the requests.
    const isFlat = memory.at(-1) < 1.5 * memory[0];
    if (refused.length > 0 || mismatch > 0 || same === 0 || !isFlat) {
        console.error(said);
        process.exit(1);
    }
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});

'use strict';

// A shadow of this server under load: `node shadow.js [REQUESTS]`, after `cargo build --release` in the repository. CONTROL and
// CANDIDATE name other rows than 0:tuned and 4.
//
// Both draw pictures that are compressed in different ways, so the project's normalizer reads the text out of each. No
// picture may differ, and the proxy's memory must not grow: it is printed ten times on the way.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { load, start } = require('../shadow-load.js');

const requests = Number(process.argv[2] ?? 1_000_000);
const { CONTROL = '0:tuned', CANDIDATE = '4' } = process.env;

/** Of a process, in MiB. */
function resident(pid) {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 102.4) / 10;
}

async function main() {
    const state = fs.mkdtempSync(path.join(os.tmpdir(), 'qr-shadow-'));
    const rows = [__dirname, '--host', 'node', '--control', CONTROL, '--candidate', CANDIDATE, '--twin', 'none'];
    const { pid, port, stop } = await start([...rows, '--state', state]);
    const picture = (number) => ({ path: `/qrcode?text=${encodeURIComponent(`https://example.org/${number % 5_000}`)}` });
    const memory = [];
    const began = Date.now();
    const refused = await load(port, requests, picture, (count) => {
        if (count % Math.ceil(requests / 10) !== 0) return;
        memory.push(resident(pid));
        console.log(`${count} requests, the proxy's memory: ${memory.at(-1)} MiB`);
    });
    const seconds = (Date.now() - began) / 1000;
    const { report, said } = await stop();
    fs.rmSync(state, { recursive: true });

    const { same, mismatch } = Object.values(report.routes)[0].tally;
    console.log({ requests, seconds, refused: refused.length, compared: report.coverage.compared, same, mismatch });
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

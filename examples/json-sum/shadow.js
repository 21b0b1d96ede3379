'use strict';

// A shadow of this service under load: `node shadow.js [REQUESTS] [skip|twice|sum]`, after `cargo build --release` in the
// repository. TIERUP names another program; CANDIDATE another row than 4.
//
// Without a fault, control is tier 0 and the candidate tier 4. Each request has another sum, and the service that is posted to
// must have every sum once. With a fault, the candidate is test/wrong-server.js, all requests are alike, and every request
// that is compared must be a mismatch.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { once } = require('node:events');

const [requests = '100000', wrong] = process.argv.slice(2);
const { TIERUP = path.join(__dirname, '../../target/release/tierup'), CANDIDATE = wrong ? '0:tuned' : '4' } = process.env;
const IN_FLIGHT = 64;

/** A copy of the project, whose requests are copied though they have side effects. */
function project(folder) {
    const to = path.join(folder, 'json-sum');
    const filter = (from) => !/\/(\.tierup|target|node_modules)$/.test(from);
    fs.cpSync(__dirname, to, { recursive: true, filter });
    const file = path.join(to, 'tierup.toml');
    let settings = `${fs.readFileSync(file, 'utf8')}\n[rollout]\nroutes = ["POST /"]\nlanes = 8\nsecond = "0%"\n`;
    if (wrong) {
        settings = settings.replace('"node", "server.js"', '"node", "wrong.js"');
        const server = "if (process.env.TIERUP_TIER === '0') delete process.env.WRONG;\nrequire('./test/wrong-server.js');\n";
        fs.writeFileSync(path.join(to, 'node/wrong.js'), server);
    }
    fs.writeFileSync(file, settings);
    return to;
}

async function main() {
    const posted = new Map();
    const real = http.createServer(async (request, response) => {
        let body = '';
        for await (const part of request) body += part;
        const { sum } = JSON.parse(body);
        posted.set(sum, (posted.get(sum) ?? 0) + 1);
        response.setHeader('Content-Type', 'application/json');
        response.end('{"ok":true}');
    });
    real.listen(0, '127.0.0.1');
    await once(real, 'listening');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'json-sum-'));
    const words = ['shadow', project(folder), '--host', 'node', '--control', '0', '--candidate', CANDIDATE, '--json'];
    const environment = { ...process.env, DOWNSTREAM_URL: `http://127.0.0.1:${real.address().port}`, WRONG: wrong ?? '' };
    const options = { env: environment, stdio: ['ignore', 'pipe', 'pipe'] };
    const shadow = spawn(TIERUP, [...words, '--twin', 'none', '--listen', '127.0.0.1:0'], options);
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
    const ask = (value) =>
        new Promise((answered, failed) => {
            const options = { port, agent, method: 'POST', headers: { 'Content-Type': 'application/json' } };
            const request = http.request(options, (response) => {
                response.resume();
                response.on('end', () => answered(response.statusCode));
            });
            request.on('error', failed);
            request.end(`{"items":[{"value":${value}}]}`);
        });
    // Both write the value as JSON: twice its absolute value comes out, so values from 1 on have sums of their own.
    let next = 0;
    const refused = [];
    const client = async () => {
        while (next < Number(requests)) {
            next++;
            const status = await ask(wrong ? 21 : next);
            if (status !== 200) refused.push(status);
        }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    agent.destroy();
    shadow.kill('SIGINT');
    await ended;
    real.close();
    fs.rmSync(folder, { recursive: true });

    const { coverage, routes } = JSON.parse(report);
    const { same, mismatch } = routes['POST /'].tally;
    const calls = [...posted.values()].reduce((sum, count) => sum + count, 0);
    const twice = [...posted.values()].filter((count) => count > 1).length;
    console.log({ requests: Number(requests), refused: refused.length, posted: calls, compared: coverage.compared, same, mismatch });
    const isRight = wrong
        ? calls === Number(requests) && mismatch > 0 && same === 0
        : posted.size === Number(requests) && twice === 0 && same > 0 && mismatch === 0;
    if (!isRight || refused.length > 0) {
        console.error(said);
        process.exit(1);
    }
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});

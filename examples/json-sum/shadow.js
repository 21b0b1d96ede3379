'use strict';

// A shadow of this service under load: `node shadow.js [REQUESTS] [skip|twice|sum]`, after `cargo build --release` in the
// repository. CANDIDATE names another row than 4.
//
// Without a fault, control is tier 0 and the candidate tier 4. Each request has another sum, and the service that is posted to
// must have every sum once. With a fault, the candidate is test/wrong-server.js, all requests are alike, and every request
// that is compared must be a mismatch.

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { once } = require('node:events');
const { load, start } = require('../shadow-load.js');

const [words = '100000', wrong] = process.argv.slice(2);
const requests = Number(words);
const { CANDIDATE = wrong ? '0:tuned' : '4' } = process.env;

/** A copy of the project, whose requests are copied though they have side effects. */
function project(folder) {
    const to = path.join(folder, 'json-sum');
    const filter = (from) => !/\/(\.tierup|target|node_modules)$/.test(from);
    fs.cpSync(__dirname, to, { recursive: true, filter });
    const file = path.join(to, 'tierup.toml');
    let settings = `${fs.readFileSync(file, 'utf8')}\n[rollout]\nroutes = ["POST /"]\nattribute = "lane"\nlanes = 8\nsecond = "0%"\n`;
    if (wrong) {
        settings = settings.replace('"node", "server.js"', '"node", "wrong.js"');
        const server = "if (process.env.TIERUP_TIER === '0') delete process.env.WRONG;\nrequire('./test/wrong-server.js');\n";
        fs.writeFileSync(path.join(to, 'node/wrong.js'), server);
    }
    fs.writeFileSync(file, settings);
    return to;
}

/** The service that is posted to. `posted` counts each sum. */
async function realService() {
    const posted = new Map();
    const server = http.createServer(async (request, response) => {
        let body = '';
        for await (const part of request) body += part;
        const { sum } = JSON.parse(body);
        posted.set(sum, (posted.get(sum) ?? 0) + 1);
        response.setHeader('Content-Type', 'application/json');
        response.end('{"ok":true}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, posted, url: `http://127.0.0.1:${server.address().port}` };
}

/** Both write the value as JSON: twice its absolute value comes out, so values from 1 on have sums of their own. */
function post(number) {
    const value = wrong ? 21 : number + 1;
    return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: `{"items":[{"value":${value}}]}` };
}

async function main() {
    const { server, posted, url } = await realService();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'json-sum-'));
    const rows = [project(folder), '--host', 'node', '--control', '0', '--candidate', CANDIDATE, '--twin', 'none'];
    const { port, stop } = await start(rows, { DOWNSTREAM_URL: url, WRONG: wrong ?? '' });
    const refused = await load(port, requests, post);
    const { report, said } = await stop();
    server.close();
    fs.rmSync(folder, { recursive: true });

    const { same, mismatch } = report.routes['POST /'].tally;
    const calls = [...posted.values()].reduce((sum, count) => sum + count, 0);
    const twice = [...posted.values()].filter((count) => count > 1).length;
    console.log({ requests, refused: refused.length, posted: calls, compared: report.coverage.compared, same, mismatch });
    const isRight = wrong
        ? calls === requests && mismatch > 0 && same === 0
        : posted.size === requests && twice === 0 && same > 0 && mismatch === 0;
    if (!isRight || refused.length > 0) {
        console.error(said);
        process.exit(1);
    }
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});

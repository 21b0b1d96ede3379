'use strict';

// How this folder's server starts, survives and stops.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const { afterEach, test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { killServers, send, spawnServer, startServer } = require('./server-under-test');

const skip = process.env.TIERUP_URL ? 'TIERUP_URL names another server' : false;

// node:test waits for a server that a failed test left behind.
afterEach(killServers);

test('says once that it listens, at which tier', { skip }, async () => {
    const server = await startServer();
    assert.match(server.stdout, /^listening on http:\/\/127\.0\.0\.1:\d+ \(tier \S+, 2 workers\)\n$/);
    assert.equal(await server.stop(), 0);
});

/** An init system asks the one process that it started, a terminal all of them. */
const STOPS = {
    'SIGTERM to the server': (pid) => process.kill(pid, 'SIGTERM'),
    'SIGTERM to all its processes': (pid) => process.kill(-pid, 'SIGTERM'),
    'Ctrl-C': (pid) => process.kill(-pid, 'SIGINT'),
};

for (const [what, signal] of Object.entries(STOPS)) {
    test(`${what}: answers what is in flight, then ends with all its processes`, { skip }, async () => {
        const server = await startServer({ TIERUP_WORKERS: '1' });
        const { hostname, port } = new URL(server.url);
        const workers = children(server.process.pid);
        const idle = http.get({ hostname, port, path: '/livez', agent: new http.Agent({ keepAlive: true }) });
        (await once(idle, 'response'))[0].resume();
        // A request of which the last byte is still to come is in flight.
        const socket = net.connect(port, hostname);
        // Once it has had an answer, the server has it, however busy the machine is.
        socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(socket, 'data');
        socket.write('POST /experiments HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{');
        await sleep(200);
        signal(server.process.pid);
        await sleep(200);
        socket.write('}');
        const [data] = await once(socket, 'data');
        assert.match(data.toString('latin1'), /^HTTP\/1\.1 422 Unprocessable Entity\r\n/);
        const [code] = await server.exit;
        assert.equal(code, 0);
        assert.equal(workers.length, 1);
        assert.throws(() => process.kill(workers[0], 0), { code: 'ESRCH' });
    });
}

test('a worker that dies is replaced', { skip }, async () => {
    const server = await startServer();
    const [first] = children(server.process.pid);
    process.kill(first, 'SIGKILL');
    while (children(server.process.pid).filter((pid) => pid !== first).length < 2) {
        await sleep(20);
    }
    const said = new RegExp(`^worker ${first} died \\(SIGKILL\\), the next starts in 100 ms`);
    // The next worker may be there before the words are.
    while (!said.test(server.stderr)) {
        await once(server.process.stderr, 'data');
    }
    assert.equal((await send(server.url, { method: 'GET', target: '/livez' })).status, 200);
    assert.equal(await server.stop(), 0);
});

test('a port in use is said once, and ends it', { skip }, async (t) => {
    const other = net.createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address();
    const server = spawnServer({ PORT: String(port) });
    const [code] = await server.exit;
    assert.equal(code, 1);
    assert.match(server.stderr, new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use[^\n]*\n$`));
    assert.equal(server.stdout, '');
});

test('settings that make no sense end it', { skip }, async () => {
    for (const [name, value] of [['PORT', '70000'], ['PORT', 'http'], ['TIERUP_WORKERS', '0'], ['TIERUP_WORKERS', '1.5'], ['EXPERIMENTS_NOW', '-1'], ['EXPERIMENTS_NOW', 'now']]) {
        const server = spawnServer({ [name]: value });
        const [code] = await server.exit;
        assert.equal(code, 1);
        assert.match(server.stderr, new RegExp(`^${name} must be a whole number from .*, not "${value}"\n`));
    }
});

test('a tier that cannot be had ends it', { skip }, async () => {
    const server = spawnServer({ TIERUP_TIER: '9' });
    const [code] = await server.exit;
    assert.equal(code, 1);
    assert.notEqual(server.stderr, '');
    assert.equal(server.stdout, '');
});

function children(pid) {
    return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)]).toString().trim().split(/\s+/).map(Number);
}

'use strict';

// A cluster of two workers, each with a worker thread. The worker itself answers `/`, its thread `/thread`.

const cluster = require('node:cluster');
const http = require('node:http');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

function spinInProcess() {
    let sum = 0;
    for (let i = 0; i < 1_000_000; i++) {
        sum += Math.sqrt(i);
    }
    return sum;
}

function spinInThread() {
    let sum = 0;
    for (let i = 0; i < 1_000_000; i++) {
        sum += Math.cbrt(i);
    }
    return sum;
}

if (!isMainThread) {
    parentPort.on('message', (id) => {
        spinInThread();
        parentPort.postMessage(id);
    });
} else if (cluster.isPrimary) {
    for (let i = 0; i < 2; i++) {
        cluster.fork();
    }
    process.on('SIGTERM', () => process.exit(0));
} else {
    const thread = new Worker(__filename);
    const waiting = new Map();
    let next = 0;
    // 256 KiB of numbers on V8's heap.
    let kept;
    thread.on('message', (id) => {
        waiting.get(id).end('ok');
        waiting.delete(id);
    });
    const server = http.createServer((request, response) => {
        if (request.url === '/thread') {
            waiting.set(next, response);
            thread.postMessage(next++);
        } else if (request.url === '/missing') {
            response.writeHead(404).end();
        } else {
            spinInProcess();
            kept = Array.from({ length: 1 << 15 }, Math.random);
            response.end('ok');
        }
    });
    server.listen(process.env.PORT, '127.0.0.1');
}

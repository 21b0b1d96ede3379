'use strict';

// Five functions of known cost. Each request runs all of them. `awaited` goes on after an `await`, `inWorker` runs in a
// worker thread, `native` is zlib's C code, and `small` is a function that V8 inlines.
//
// The server measures its functions itself, and appends to the file TRUTH every 200 ms: milliseconds since 1970, CPU of
// the process, and CPU of each function in the order of NAMES, all in microseconds since the start. Only every eighth
// request is measured, and counts eight times: reading the clock enters the kernel, and on a busy machine samples pile
// up there.

const fs = require('node:fs');
const http = require('node:http');
const zlib = require('node:zlib');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const NAMES = ['light', 'awaited', 'inWorker', 'small', 'native'];
const EVERY = 8;
const spent = NAMES.map(() => 0);

/** The clock of requests that are not measured. */
const unmeasured = () => 0;

/** CPU time of this thread in microseconds. */
const clock = (() => {
    const file = fs.openSync('/proc/thread-self/schedstat');
    const buffer = Buffer.alloc(64);
    return () => {
        // getrusage makes the kernel update the time of the calling thread; reading schedstat does not.
        process.cpuUsage();
        const length = fs.readSync(file, buffer, 0, 64, 0);
        return parseInt(buffer.latin1Slice(0, length), 10) / 1000;
    };
})();

function light() {
    let sum = 1;
    for (let i = 0; i < 500_000; i++) {
        sum = (Math.imul(sum, 1664525) + i) | 0;
    }
    return sum;
}

async function awaited(clock) {
    let sum = 2;
    for (let part = 0; part < 4; part++) {
        const before = clock();
        for (let i = 0; i < 250_000; i++) {
            sum = (Math.imul(sum, 22695477) + i) | 0;
        }
        spent[1] += (clock() - before) * EVERY;
        // From here on, the function runs on a stack without its caller.
        await new Promise(setImmediate);
    }
    return sum;
}

function inWorker() {
    let sum = 3;
    for (let i = 0; i < 1_500_000; i++) {
        sum = (Math.imul(sum, 1103515245) + i) | 0;
    }
    return sum;
}

function small() {
    let sum = 4;
    for (let i = 0; i < 250_000; i++) {
        sum = (Math.imul(sum, 69069) + i) | 0;
    }
    return sum;
}

// Random letters, the same in each run.
let letter = 5;
const TEXT = Buffer.from(Array.from({ length: 114_000 }, () => (letter = Math.imul(letter, 1664525) + 1013904223) >>> 28));

function native() {
    return zlib.deflateSync(TEXT, { level: 6 }).length;
}

function work() {
    parentPort.on('message', (id) => {
        const now = id % EVERY === 0 ? clock : unmeasured;
        const before = now();
        const sum = inWorker();
        parentPort.postMessage({ id, sum, cpu: now() - before });
    });
}

function serve() {
    const waiting = new Map();
    let next = 0;
    const worker = new Worker(__filename);
    worker.on('message', ({ id, sum, cpu }) => {
        spent[2] += cpu * EVERY;
        waiting.get(id)(sum);
        waiting.delete(id);
    });
    const asked = (id) =>
        new Promise((resolve) => {
            waiting.set(id, resolve);
            worker.postMessage(id);
        });

    async function answer(response) {
        const id = next++;
        const now = id % EVERY === 0 ? clock : unmeasured;
        const answered = asked(id);
        const first = now();
        let sum = light();
        const second = now();
        sum += small();
        const third = now();
        sum += native();
        const fourth = now();
        spent[0] += (second - first) * EVERY;
        spent[3] += (third - second) * EVERY;
        spent[4] += (fourth - third) * EVERY;
        sum += await awaited(now);
        response.end(String(sum + (await answered)));
    }

    http.createServer((request, response) => void answer(response)).listen(process.env.PORT, '127.0.0.1');
    if (process.env.TRUTH) {
        setInterval(() => {
            const { user, system } = process.cpuUsage();
            const line = [Date.now(), user + system, ...spent].map(Math.round).join(' ');
            fs.appendFileSync(process.env.TRUTH, `${line}\n`);
        }, 200);
    }
}

if (isMainThread) {
    serve();
} else {
    work();
}

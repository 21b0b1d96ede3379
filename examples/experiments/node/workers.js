'use strict';

// The primary process: starts the workers, replaces those that die, and stops them all.

const cluster = require('node:cluster');

/** A worker that dies younger than this is taken to be failing, and replaced ever more slowly. */
const STABLE_AFTER_MS = 10_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
/** How long requests in flight may take once the server is told to stop. */
const STOP_WITHIN_MS = 10_000;

/** Keeps `count` workers alive until SIGTERM or SIGINT. */
function superviseWorkers(count) {
    let listening = 0;
    let everListened = false;
    let failuresInARow = 0;
    let stopping = false;

    for (let worker = 0; worker < count; worker++) {
        startWorker();
    }
    for (const signal of ['SIGTERM', 'SIGINT']) {
        process.on(signal, () => stop(0));
    }

    function startWorker() {
        const startedAt = Date.now();
        const worker = cluster.fork();
        worker.on('message', (message) => {
            if (message.failed && !stopping) {
                console.error(message.failed);
                stop(1);
            } else if (message.listening) {
                listening += 1;
                if (listening === count && !everListened) {
                    everListened = true;
                    console.log(`listening on ${message.listening} (tier ${message.tier}, ${count} workers)`);
                }
            }
        });
        // A message cannot be sent to a worker that is just ending.
        worker.on('error', () => {});
        worker.on('exit', (code, signal) => {
            if (stopping) {
                return;
            }
            if (!everListened) {
                // It has said why. What is wrong at the start will not be better at the next one.
                return stop(1);
            }
            failuresInARow = Date.now() - startedAt < STABLE_AFTER_MS ? failuresInARow + 1 : 1;
            const delay = Math.min(FIRST_DELAY_MS * 2 ** (failuresInARow - 1), LONGEST_DELAY_MS);
            console.error(`worker ${worker.process.pid} died (${signal ?? `exit code ${code}`}), the next starts in ${delay} ms`);
            setTimeout(() => stopping || startWorker(), delay);
        });
    }

    function stop(exitCode) {
        if (stopping) {
            return;
        }
        stopping = true;
        const workers = () => Object.values(cluster.workers);
        const exitWhenAlone = () => workers().length === 0 && process.exit(exitCode);
        // A worker is gone when it has ended and its channel is closed, whichever comes last.
        cluster.on('exit', exitWhenAlone);
        cluster.on('disconnect', exitWhenAlone);
        for (const worker of workers()) {
            worker.send('stop');
        }
        setTimeout(() => workers().forEach((worker) => worker.process.kill('SIGKILL')), STOP_WITHIN_MS);
        exitWhenAlone();
    }
}

module.exports = { superviseWorkers };

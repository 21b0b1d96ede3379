'use strict';

// The sensor of `tierup profile`: Node loads it into every process and worker thread of the server before the server's
// own code. It connects to tierup and samples while tierup asks for it. It never keeps the process alive, and an error
// of its own never reaches the server.

(() => {
    const SOCKET = {{socket}};
    const MICROSECONDS = {{microseconds}};
    const BEFORE_THE_SERVER = {{before_the_server}};
    const LONGEST_FILE = 1 << 20;
    const LONGEST_MAP = 64 << 20;
    try {
        connect(SOCKET, MICROSECONDS);
    } catch {
        // The server goes on without a profile. tierup reports that no agent has connected.
    }

    function connect(path, interval) {
        const fs = require('node:fs');
        const net = require('node:net');
        const { threadId } = require('node:worker_threads');
        let session = null;
        let cpuBefore = null;
        let heap = null;
        /** Source maps by URL; empty for a URL without one. */
        const maps = new Map();

        const socket = net.connect({ path });
        socket.unref();
        socket.setEncoding('utf8');
        socket.on('error', () => {});
        socket.on('close', () => end());
        nameThreads(threadId);
        socket.write(`hello ${process.pid} ${threadId} ${kernelThread()}${BEFORE_THE_SERVER ? ' names' : ''}\n`);

        let received = '';
        socket.on('data', (text) => {
            const lines = (received + text).split('\n');
            received = lines.pop();
            lines.forEach(obey);
        });

        function obey(line) {
            try {
                if (line === 'start') {
                    start();
                } else if (line === 'name') {
                    nameInlinedOfOthers();
                } else if (line.startsWith('stop ')) {
                    stop(line.slice('stop '.length));
                }
            } catch (error) {
                failed(error);
            }
        }

        function start() {
            end();
            const { Session } = require('node:inspector');
            session = new Session();
            session.connect();
            post('Profiler.enable', undefined, () =>
                post('Profiler.setSamplingInterval', { interval }, () =>
                    post('Profiler.start', undefined, () => {
                        cpuBefore = threadCpu();
                        heap = countAllocations();
                        answer('started');
                    }),
                ),
            );
        }

        function stop(file) {
            if (session === null) {
                throw new Error('it was not sampled');
            }
            const cpu = threadCpu();
            const allocated = heap?.end() ?? '-';
            heap = null;
            post('Profiler.stop', undefined, ({ profile }) => {
                nameInlined(profile);
                nameMaps(profile);
                end();
                fs.writeFileSync(file, JSON.stringify(profile), { mode: 0o600 });
                const used = cpu === null || cpuBefore === null ? '-' : Math.max(0, Math.round(cpu - cpuBefore));
                answer(`stopped ${used} ${allocated}`);
            });
        }

        /**
         * V8 counts functions inlined from other files to their callers, without a name. So after all blocks, it
         * inlines only tiny ones for one profile. Starting and stopping precise coverage discards all compiled code.
         */
        function nameInlinedOfOthers() {
            const { setFlagsFromString } = require('node:v8');
            setFlagsFromString('--max-inlined-bytecode-size=30');
            if (parseInt(process.versions.v8, 10) >= 12) {
                setFlagsFromString('--max-maglev-inlined-bytecode-size=30');
            }
            const { Session } = require('node:inspector');
            session = new Session();
            session.connect();
            post('Profiler.enable', undefined, () =>
                post('Profiler.startPreciseCoverage', undefined, () =>
                    post('Profiler.stopPreciseCoverage', undefined, () => {
                        end();
                        answer('named');
                    }),
                ),
            );
        }

        /** Finds inlined functions, whose time would otherwise count for their callers. */
        function nameInlined(profile) {
            const { fileURLToPath } = require('node:url');
            const text = (url) => {
                try {
                    const path = fileURLToPath(url);
                    return fs.statSync(path).size <= LONGEST_FILE ? fs.readFileSync(path, 'utf8') : null;
                } catch {
                    return null;
                }
            };
            session.post('Profiler.getBestEffortCoverage', (error, answer) => {
                if (!error) {
                    findInlined(profile, answer.result, text);
                }
            });
        }

        /**
         * Finds the source maps of the code that runs, which loaders such as tsx store nowhere else. A server that ran
         * before tierup came is not asked: V8 would stop it for a moment to report each of its scripts.
         */
        function nameMaps(profile) {
            if (!BEFORE_THE_SERVER) {
                return;
            }
            const isOwn = ({ url }) => url.startsWith('file:') && !url.includes('/node_modules/');
            const urls = new Set(profile.nodes.map(({ callFrame }) => callFrame).filter(isOwn).map(({ url }) => url));
            if ([...urls].some((url) => !maps.has(url))) {
                const keep = ({ params: { url, sourceMapURL } }) => {
                    if (urls.has(url) && sourceMapURL && sourceMapURL.length <= LONGEST_MAP) {
                        maps.set(url, sourceMapURL);
                    }
                };
                session.on('Debugger.scriptParsed', keep);
                session.post('Debugger.enable');
                session.post('Debugger.disable');
                session.off('Debugger.scriptParsed', keep);
                urls.forEach((url) => maps.has(url) || maps.set(url, ''));
            }
            profile.sourceMaps = Object.fromEntries([...maps].filter(([url]) => urls.has(url)));
        }

        function post(method, parameters, then) {
            session.post(method, parameters, (error, result) => {
                try {
                    if (error) {
                        throw new Error(error.message || String(error));
                    }
                    then(result);
                } catch (reason) {
                    failed(reason);
                }
            });
        }

        function end() {
            const all = [() => session?.disconnect(), () => heap?.end()];
            for (const ends of all) {
                try {
                    ends();
                } catch {
                    // The session has ended already.
                }
            }
            session = null;
            heap = null;
        }

        function failed(error) {
            end();
            answer(`failed ${String(error?.message ?? error).replace(/\s+/g, ' ')}`);
        }

        function answer(line) {
            socket.write(`${line}\n`);
        }

        /** The kernel's id of this thread. */
        function kernelThread() {
            try {
                return fs.readlinkSync('/proc/thread-self').split('/').pop();
            } catch {
                return '-';
            }
        }

        /**
         * Names V8's threads as Node 24 does. In older versions, they have the main thread's name, as do libuv's
         * threads, which start later.
         */
        function nameThreads(threadId) {
            if (threadId !== 0 || !BEFORE_THE_SERVER) {
                return;
            }
            try {
                const file = (id) => `/proc/self/task/${id}/comm`;
                const main = fs.readFileSync(file(process.pid), 'latin1');
                for (const id of fs.readdirSync('/proc/self/task')) {
                    if (Number(id) !== process.pid && fs.readFileSync(file(id), 'latin1') === main) {
                        fs.writeFileSync(file(id), 'V8Worker');
                    }
                }
            } catch {
                // Threads without a name count as other threads.
            }
        }

        /**
         * Counts how much the heap grows between collections. From Node 18.15 on, V8 records its size before and after
         * each one. The records are read every few seconds, so that they do not fill the memory.
         */
        function countAllocations() {
            const { GCProfiler, getHeapStatistics } = require('node:v8');
            if (!GCProfiler) {
                return null;
            }
            let bytes = 0;
            let last = getHeapStatistics().used_heap_size;
            let notes = new GCProfiler();
            notes.start();
            const read = () => {
                for (const { beforeGC, afterGC } of notes.stop().statistics) {
                    bytes += Math.max(0, beforeGC.heapStatistics.usedHeapSize - last);
                    last = afterGC.heapStatistics.usedHeapSize;
                }
                notes = new GCProfiler();
                notes.start();
            };
            const timer = setInterval(() => {
                try {
                    read();
                } catch {
                    clearInterval(timer);
                }
            }, 2000);
            timer.unref();
            return {
                end() {
                    clearInterval(timer);
                    const used = getHeapStatistics().used_heap_size;
                    read();
                    notes.stop();
                    return bytes + Math.max(0, used - last);
                },
            };
        }

        /** CPU time of this thread in microseconds, as Linux counts it. */
        function threadCpu() {
            try {
                const [nanoseconds] = fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
                return Number(nanoseconds) / 1000;
            } catch {
                return null;
            }
        }
    }

{{inlined}}})();

'use strict';

// The witness of `tierup init --function` and `tierup profile`: Node loads it into every process of the server before
// the server's own code. It connects to tierup. While tierup sends single requests, it first counts calls, then records
// the types of the watched functions' arguments and answers. No value leaves the process, only types, names from the
// user's source, hashes with a key of this run, and an answer's plain hash for `[health]`. Its errors never reach the
// server.

(() => {
    const { isMainThread, Worker } = require('node:worker_threads');
    // Only a process's main thread can be watched.
    if (!isMainThread) {
        return;
    }
    const { socket: SOCKET, watcher: WATCHER, key: KEY, functions: WATCHED } = {{settings}};
    try {
        connect();
    } catch {
        // The server goes on without it. tierup reports that no agent has connected.
    }

    function connect() {
        const fs = require('node:fs');
        const net = require('node:net');
        const shapes = require({{shapes}})(KEY);
        let round = 0;
        let session = null;
        let worker = null;
        let places = [];
        let found = [];

        const socket = net.connect({ path: SOCKET });
        socket.unref();
        socket.setEncoding('utf8');
        socket.on('error', () => {});
        socket.on('close', () => end());
        socket.write(`hello ${process.pid} 0\n`);

        let received = '';
        socket.on('data', (text) => {
            const lines = (received + text).split('\n');
            received = lines.pop();
            lines.forEach((line) => obey(line).catch(failed));
        });

        async function obey(line) {
            if (line === 'start') {
                end();
                await (round === 0 ? count() : watch());
                socket.write('started\n');
            } else if (line.startsWith('stop ')) {
                const result = await (round === 0 ? counted() : watched());
                round += 1;
                end();
                fs.writeFileSync(line.slice('stop '.length), JSON.stringify({ functions: result }), { mode: 0o600 });
                socket.write('stopped -\n');
            }
        }

        // The first round: V8 counts calls, and tells where functions are.

        async function count() {
            const { Session } = require('node:inspector');
            session = new Session();
            session.connect();
            await post('Profiler.enable');
            await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
        }

        async function counted() {
            const { result } = await post('Profiler.takePreciseCoverage');
            const files = new Map();
            for (const script of result) {
                const file = shapes.path(script.url);
                files.set(file, [...(files.get(file) ?? []), ...script.functions]);
            }
            places = WATCHED.map((wanted) => located(wanted, files.get(wanted.file) ?? []));
            return places.map(({ offset, ...place }) => place);
        }

        function located(wanted, functions) {
            let text;
            try {
                text = fs.readFileSync(wanted.file, 'utf8');
            } catch {
                return { calls: 0, line: 0, others: [] };
            }
            const called = functions
                .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
                .map(({ functionName, ranges }) => ({
                    name: functionName,
                    offset: ranges[0].startOffset,
                    line: text.slice(0, ranges[0].startOffset).split('\n').length,
                    calls: ranges[0].count,
                }));
            const named = called.filter(({ name, line }) => name === wanted.name && (wanted.line ?? line) === line);
            const others = [...new Set(called.map(({ name }) => name))];
            if (named.length !== 1) {
                return { calls: 0, line: 0, lines: named.map(({ line }) => line), others };
            }
            const [{ offset, line, calls }] = named;
            return { calls, line, offset, others };
        }

        // The second round: another thread stops the main thread where the functions begin and return.

        async function watch() {
            found = WATCHED.map(() => ({ parameters: [], answers: [], answer_times: [], entered: [], left: [], problems: [] }));
            const notes = {
                entered(index, values) {
                    const at = Date.now();
                    found[index].entered.push({ at, words: values.map(shapes.word) });
                    values.forEach((value, place) => {
                        const parameter = (found[index].parameters[place] ??= { shapes: [], times: [] });
                        shapes.add(parameter.shapes, parameter.times, value, at, sourceOf(index));
                    });
                },
                left(index, value) {
                    // Taken before callers go on: they may answer their client before this learns of a promise's value.
                    const at = Date.now();
                    if (require('node:util').types.isPromise(value)) {
                        found[index].waits = true;
                        Promise.prototype.then.call(
                            value,
                            (answer) => answered(index, answer, at),
                            () => {},
                        );
                    } else {
                        answered(index, value, at);
                    }
                },
            };
            worker = new Worker(WATCHER, {
                // The server's own NODE_OPTIONS must not apply.
                env: {},
                execArgv: [],
                workerData: {
                    places: places.map(({ offset }, index) => {
                        const { file, fields } = WATCHED[index];
                        return { file, offset, isDeclared: fields.length > 0 };
                    }),
                },
            });
            worker.unref();
            const ready = new Promise((done, failed) => {
                worker.once('message', done);
                worker.once('error', failed);
            });
            // The watcher finds the notes under this name.
            Object.defineProperty(globalThis, shapes.GLOBAL, { configurable: true, value: notes });
            const known = await ready;
            known.forEach((one, index) => Object.assign(found[index], one));
        }

        /** The running text, and the names that the source declares, which TypeScript erases. */
        function sourceOf(index) {
            return `${WATCHED[index].fields.join(' ')} ${found[index].text}`;
        }

        function answered(index, value, at) {
            found[index].left.push({ at, sha256: shapes.hash(value) });
            shapes.add(found[index].answers, found[index].answer_times, value, at, sourceOf(index));
        }

        async function watched() {
            const said = new Promise((done) => worker.once('message', done));
            worker.postMessage('stop');
            const problems = await said;
            const result = [];
            for (const [index, { text, names, ...seen }] of found.entries()) {
                const parameters = (names ?? []).map((name, place) => ({ name, ...(seen.parameters[place] ?? { shapes: [] }) }));
                // A module that the server has not loaded must not run: a bundle would start the server again.
                const exported = places[index].offset !== undefined && (await isExported(WATCHED[index]));
                result.push({ ...seen, parameters, exported, problems: [...seen.problems, ...problems[index]] });
            }
            return result;
        }

        /** Whether the function can be a baseline, by the rules of the package's driver. */
        async function isExported({ file, name }) {
            try {
                // Importing the started file would start it again.
                if (fs.realpathSync(process.argv[1]) === file) {
                    return false;
                }
                const loaded = require.cache[file];
                const all = loaded ? loaded.exports : await import(require('node:url').pathToFileURL(file).href);
                const exported = all.default ?? all;
                // A module may export its only function directly.
                const itself = typeof exported === 'function' && exported.name === name;
                return itself || typeof exported?.[name] === 'function';
            } catch {
                return false;
            }
        }

        function post(method, parameters) {
            return new Promise((done, failed) => {
                session.post(method, parameters, (error, result) =>
                    error ? failed(new Error(error.message || String(error))) : done(result),
                );
            });
        }

        function end() {
            try {
                session?.disconnect();
                worker?.terminate();
                delete globalThis[shapes.GLOBAL];
            } catch {
                // The session has ended already.
            }
            session = null;
            worker = null;
        }

        function failed(error) {
            end();
            socket.write(`failed ${String(error?.message ?? error).replace(/\s+/g, ' ')}\n`);
        }
    }
})();

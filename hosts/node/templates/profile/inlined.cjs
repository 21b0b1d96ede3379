    // V8 counts the time of an inlined function to its caller, and leaves only the line. This finds the functions of
    // such lines in the caller's file, and adds them to the caller's node: `inlined: [{ functionName, lineNumber,
    // columnNumber, ticks }]`. In: a profile, and the scripts of `Profiler.getBestEffortCoverage`. If that would take
    // too long, the rest is left out, and the profile gets `inlinedIncomplete: true`.
    function findInlined(profile, scripts, readText) {
        const LONGEST_NAMING = 200;
        const byId = new Map(scripts.map((script) => [script.scriptId, script]));
        const read = new Map();
        // The server waits during this time.
        const deadline = Date.now() + LONGEST_NAMING;
        const isOver = () => {
            if (Date.now() > deadline) {
                profile.inlinedIncomplete = true;
            }
            return profile.inlinedIncomplete === true;
        };
        // The hottest nodes come first, so that the least time is left out.
        for (const node of [...profile.nodes].sort((one, other) => (other.hitCount ?? 0) - (one.hitCount ?? 0))) {
            if (isOver()) {
                break;
            }
            const { scriptId, url } = node.callFrame;
            if (!node.positionTicks || !url.startsWith('file:') || url.includes('/node_modules/') || !byId.has(scriptId)) {
                continue;
            }
            if (!read.has(scriptId)) {
                read.set(scriptId, functionsOf(byId.get(scriptId), url));
            }
            const found = inlinedIn(node, read.get(scriptId));
            if (found.length > 0) {
                node.inlined = found;
            }
        }

        function functionsOf(script, url) {
            const text = readText(url);
            if (text === null) {
                return [];
            }
            const starts = [0];
            for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
                starts.push(end + 1);
            }
            /** The line of a position in the text, from 1. */
            const lineOf = (offset) => {
                let [low, high] = [0, starts.length];
                while (high - low > 1) {
                    const middle = (low + high) >> 1;
                    [low, high] = starts[middle] <= offset ? [middle, high] : [low, middle];
                }
                return low + 1;
            };
            return script.functions.map(({ functionName: name, ranges: [{ startOffset: start, endOffset: end }] }) => {
                const first = lineOf(start);
                const column = start - starts[first - 1];
                return { name, start, end, first, column, last: lineOf(end), text: text.slice(start, end) };
            });
        }

        function inlinedIn(node, functions) {
            const { functionName, lineNumber } = node.callFrame;
            // If a loader has rewritten the file, V8 compiled other lines than those in the file.
            const own = functions.find((one) => one.name === functionName && one.first === lineNumber + 1);
            if (own === undefined) {
                return [];
            }
            const found = [];
            for (const { line, ticks } of node.positionTicks) {
                if (isOver()) {
                    break;
                }
                const isOn = (one) => one.first <= line && line <= one.last;
                // If a line has several functions, it is not counted to one within `own`.
                const isAlone = (one) => one.first < line && line < one.last && own.start < one.start && one.end <= own.end;
                const fits = isOn(own) ? functions.filter(isAlone) : functions.filter((one) => isOn(one) && calls(own, one));
                const [innermost] = fits.sort((one, other) => one.end - one.start - (other.end - other.start));
                if (innermost !== undefined) {
                    const { name, first, column } = innermost;
                    found.push({ functionName: name, lineNumber: first - 1, columnNumber: column, ticks });
                }
            }
            return found;

            /** Whether a function, or one that it calls, names the other. If not, the line may be in another file. */
            function calls(caller, callee) {
                return callee !== caller && callee.name !== '' && reached(caller, functions).has(callee.name);
            }
        }

        /** All names in a function, and in every function with one of these names, and so on. */
        function reached(caller, functions) {
            if (caller.reached === undefined) {
                functions.byName ??= groupedByName(functions);
                const waiting = [caller];
                const seen = new Set(waiting);
                caller.reached = new Set();
                while (waiting.length > 0 && !isOver()) {
                    const one = waiting.pop();
                    one.names ??= new Set(one.text.match(/[\w$]+/g));
                    for (const name of one.names) {
                        for (const called of functions.byName.get(name) ?? []) {
                            caller.reached.add(name);
                            if (!seen.has(called)) {
                                seen.add(called);
                                waiting.push(called);
                            }
                        }
                    }
                }
            }
            return caller.reached;
        }

        function groupedByName(functions) {
            const groups = new Map();
            for (const one of functions) {
                if (!groups.has(one.name)) {
                    groups.set(one.name, []);
                }
                groups.get(one.name).push(one);
            }
            return groups;
        }
    }

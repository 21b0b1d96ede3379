'use strict';

// The thread that watches functions for the witness, as a debugger: V8 stops the main thread where a watched function
// begins and returns, and this thread resumes it at once. In: files and offsets, as `workerData`. Out: first the
// functions' parameters and the texts of their files, and after `stop` the problems.

const { parentPort, workerData } = require('node:worker_threads');
const { Session } = require('node:inspector');
const { pathToFileURL } = require('node:url');
const { head } = require({{head}});

const NOTES = "globalThis['__tierup_witness']";
/** The most calls of a function that are inspected: enough to see its types, however often it is called. */
const MOST_CALLS = 500;

const session = new Session();
const breakpoints = new Map();
const functions = workerData.places.map(() => ({ problems: [], values: [], calls: 0 }));
const scripts = new Map();

session.connectToMainThread();
session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
session.on('Debugger.paused', ({ params }) => {
    noted(params)
        .catch(() => {})
        .finally(() => post('Debugger.resume').catch(() => {}));
});
parentPort.on('message', () => {
    post('Debugger.disable')
        .catch(() => {})
        .finally(() => {
            session.disconnect();
            parentPort.postMessage(functions.map(({ problems }) => problems));
        });
});
begin().catch((error) => {
    throw error;
});

async function begin() {
    await post('Debugger.enable');
    const known = [];
    for (const [index, { file, offset, isDeclared }] of workerData.places.entries()) {
        known.push(offset === undefined ? {} : await place(index, file, offset, isDeclared));
    }
    parentPort.postMessage(known);
}

async function place(index, file, offset, isDeclared) {
    const url = pathToFileURL(file).href;
    const ids = [...scripts].filter(([, of]) => of === file || of === url || of.startsWith(`${url}?`)).map(([id]) => id);
    let known = {};
    for (const scriptId of ids) {
        const { scriptSource: text } = await post('Debugger.getScriptSource', { scriptId });
        const { names, values, body, why } = head(text.slice(offset), isDeclared);
        known = { text, names };
        if (why !== undefined) {
            functions[index].problems.push(why);
            continue;
        }
        functions[index].values = values;
        const at = (position) => {
            const lines = text.slice(0, position).split('\n');
            return { scriptId, lineNumber: lines.length - 1, columnNumber: lines[lines.length - 1].length };
        };
        const { locations } = await post('Debugger.getPossibleBreakpoints', {
            start: at(offset + body),
            restrictToFunction: true,
        });
        for (const [number, { type, ...location }] of locations.entries()) {
            if (number === 0 || type === 'return') {
                const { breakpointId } = await post('Debugger.setBreakpoint', { location });
                breakpoints.set(breakpointId, { index, enters: number === 0, returns: type === 'return' });
            }
        }
    }
    return known;
}

async function noted({ callFrames: [frame], hitBreakpoints = [] }) {
    for (const id of hitBreakpoints) {
        const { index, enters, returns } = breakpoints.get(id) ?? {};
        if (index === undefined || functions[index].calls > MOST_CALLS) {
            // Each stop takes a millisecond, and the function may be called a million times.
            breakpoints.delete(id);
            await post('Debugger.removeBreakpoint', { breakpointId: id });
            continue;
        }
        if (enters) {
            functions[index].calls += 1;
            const expression = `${NOTES}.entered(${index}, [${functions[index].values.join(', ')}])`;
            const { exceptionDetails } = await post('Debugger.evaluateOnCallFrame', {
                callFrameId: frame.callFrameId,
                expression,
                silent: true,
            });
            if (exceptionDetails !== undefined) {
                functions[index].problems.push('its arguments could not be read');
            }
        }
        if (returns && frame.returnValue !== undefined) {
            const { objectId, value, unserializableValue } = frame.returnValue;
            const { result } = await post('Runtime.evaluate', { expression: NOTES });
            const answer = objectId === undefined ? { value, unserializableValue } : { objectId };
            await post('Runtime.callFunctionOn', {
                objectId: result.objectId,
                functionDeclaration: 'function (index, value) { this.left(index, value); }',
                arguments: [{ value: index }, answer],
                silent: true,
            });
        }
    }
}

function post(method, parameters) {
    return new Promise((done, failed) => {
        session.post(method, parameters, (error, result) =>
            error ? failed(new Error(error.message || String(error))) : done(result),
        );
    });
}

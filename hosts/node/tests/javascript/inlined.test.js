'use strict';
// The sensor of `tierup profile` finds functions that V8 has inlined.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');
const { test } = require('node:test');
const { fileURLToPath } = require('node:url');
const v8 = require('node:v8');
const vm = require('node:vm');

const template = fs.readFileSync(path.join(__dirname, '../../templates/profile/inlined.cjs'), 'utf8');
const findInlined = vm.runInThisContext(`(() => {\n${template}\nreturn findInlined;\n})()`);

/** The functions inlined in `caller`, by the hits of each line, as `name ticks`. */
function found(text, caller, lines, names) {
  const functions = names.map((functionName) => {
    const startOffset = text.indexOf(`function ${functionName}(`);
    // The function ends at the brace in its own column.
    const column = startOffset - (text.lastIndexOf('\n', startOffset) + 1);
    const endOffset = text.indexOf(`\n${' '.repeat(column)}}`, startOffset) + column + 2;
    return { functionName, ranges: [{ startOffset, endOffset }] };
  });
  const lineNumber = text.slice(0, text.indexOf(`function ${caller}(`)).split('\n').length - 1;
  const callFrame = { functionName: caller, scriptId: '1', url: 'file:///srv/app.js', lineNumber };
  const node = { callFrame, positionTicks: lines.map(([line, ticks]) => ({ line, ticks })) };
  findInlined({ nodes: [node] }, [{ scriptId: '1', functions }], () => text);
  return (node.inlined ?? []).map(({ functionName, ticks, lineNumber }) => `${functionName}:${lineNumber} ${ticks}`);
}

const APP = `function light() {
  return 1;
}
function unused() {
  return 2;
}
function middle() {
  return light();
}
function answer() {
  function inner() {
    return 3;
  }
  return inner() + middle();
}`;
const NAMES = ['light', 'unused', 'middle', 'answer', 'inner'];

test('a line counts to the function that has it, if the caller reaches it', () => {
  const lines = [
    [2, 5],
    [5, 4],
    [8, 3],
    [12, 2],
    [14, 1],
  ];
  assert.deepEqual(found(APP, 'answer', lines, NAMES), ['light:0 5', 'middle:6 3', 'inner:10 2']);
  // The file was rewritten before V8 compiled it.
  assert.deepEqual(found(APP, 'answer', lines, ['light', 'middle']), []);
});

test('of thousands of functions, all are found, or the profile says that some are left out', () => {
  const count = 5000;
  const nextOf = (number) => (number + 1) % count;
  let text = '';
  const functions = [];
  const nodes = [];
  for (let number = 0; number < count; number++) {
    const startOffset = text.length;
    text += `function f${number}() {\n  return f${nextOf(number)}();\n}\n`;
    functions.push({ functionName: `f${number}`, ranges: [{ startOffset, endOffset: text.length - 1 }] });
    const callFrame = { functionName: `f${number}`, scriptId: '1', url: 'file:///srv/app.js', lineNumber: number * 3 };
    const positionTicks = [
      { line: number * 3 + 2, ticks: 1 },
      { line: nextOf(number) * 3 + 2, ticks: 2 },
    ];
    // The last node is the hottest.
    nodes.push({ callFrame, positionTicks, hitCount: number });
  }
  const profile = { nodes };
  findInlined(profile, [{ scriptId: '1', functions }], () => text);
  const named = nodes.filter((node) => node.inlined !== undefined);
  for (const { callFrame, inlined } of named) {
    const next = nextOf(callFrame.lineNumber / 3);
    assert.deepEqual(inlined, [{ functionName: `f${next}`, lineNumber: next * 3, columnNumber: 0, ticks: 2 }]);
  }
  assert.ok(named.length === count || profile.inlinedIncomplete === true, `${named.length}`);
  // The coldest nodes are left out.
  assert.deepEqual(named, nodes.slice(count - named.length));
});

test('V8 counts an inlined function to its caller, and it is found', () => {
  v8.setFlagsFromString('--allow-natives-syntax');
  const folder = fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'inlined-'));
  try {
    const file = path.join(folder, 'hot.js');
    fs.writeFileSync(
      file,
      `exports.hot = () => answer();
function light() {
  let sum = 1;
  for (let i = 0; i < 1e6; i++) {
    sum = (Math.imul(sum, 1664525) + i) | 0;
  }
  return sum;
}
function answer() {
  return light() + 1;
}
exports.optimize = () => {
  %PrepareFunctionForOptimization(light);
  %PrepareFunctionForOptimization(answer);
  answer();
  %OptimizeFunctionOnNextCall(answer);
  answer();
};
`,
    );
    const { hot, optimize } = require(file);
    optimize();
    const session = new Session();
    session.connect();
    const posted = (method) => {
      let answer;
      session.post(method, (error, result) => {
        assert.equal(error, null);
        answer = result;
      });
      return answer;
    };
    posted('Profiler.enable');
    posted('Profiler.start');
    const end = Date.now() + 500;
    while (Date.now() < end) {
      hot();
    }
    const { profile } = posted('Profiler.stop');
    const { result } = posted('Profiler.getBestEffortCoverage');
    const before = hits(profile, 'light');
    findInlined(profile, result, (url) => fs.readFileSync(fileURLToPath(url), 'utf8'));
    const inlined = profile.nodes.flatMap((node) => node.inlined ?? []).filter((one) => one.functionName === 'light');
    const ticks = inlined.reduce((sum, one) => sum + one.ticks, 0);
    const all = hits(profile, 'light') + hits(profile, 'answer') + hits(profile, 'exports.hot') + hits(profile, 'hot');
    assert.ok(before < all / 2, `V8 names it itself: ${before} of ${all}`);
    assert.ok(before + ticks > all * 0.9 && inlined[0].lineNumber === 1, `${before} and ${ticks} of ${all}`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

function hits(profile, name) {
  const nodes = profile.nodes.filter((node) => node.callFrame.functionName === name);
  return nodes.reduce((sum, node) => sum + node.hitCount, 0);
}

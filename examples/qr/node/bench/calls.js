'use strict';
// What one call costs in Node at every variant, beside the function alone in Rust.
//
//   tierup build . --hosts node --tiers all && cargo build --release --example stopwatch && node node/bench/calls.js [ROUNDS]
//
// Each row has a process of its own, as a server has that runs at one tier: where one process calls at all tiers, V8 finds
// many kinds of object at each place of the package's code, and compiles it for all of them.
//
// All rows take turns in every round, in random order, so that whatever else the machine does hits all alike. A row's
// figure is the median over the rounds; its ratio is the median of the ratios to `rust` within each round; the
// brackets hold the middle half. The fastest slice of each row is what it takes where nobody disturbs it.
//
// `1:pool` and `3:async` are called with 8 calls in flight; their figure is the time of a slice by its calls. Slices are
// short, so that those of one round meet the same machine.

const { fork, spawn } = require('node:child_process');
const { once } = require('node:events');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const qr = require('qr');

const TEXTS = [
  'https://github.com/pretzelhammer/rust-blog',
  'https://www.reddit.com/r/rustjerk/top/?t=all',
  'https://youtu.be/cE0wfjsybIQ?t=74',
];
const ROUNDS = Number(process.argv[2] ?? 101);
const SLICE_MS = 12;
const IN_FLIGHT = 8;
const WORKERS = Number(process.env.TIERUP_WORKERS ?? 1);

/** Nanoseconds a call, for `calls` calls one after the other. */
const bySync = (call) => async (calls) => {
  const began = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) call(TEXTS[i % 3]);
  return Number(process.hrtime.bigint() - began) / calls;
};

const oneByOne = (call) => async (calls) => {
  const began = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) await call(TEXTS[i % 3]);
  return Number(process.hrtime.bigint() - began) / calls;
};

const inFlight = (call, count) => async (calls) => {
  let next = 0;
  const lane = async () => {
    while (next < calls) await call(TEXTS[next++ % 3]);
  };
  const began = process.hrtime.bigint();
  await Promise.all(Array.from({ length: count }, lane));
  return Number(process.hrtime.bigint() - began) / calls;
};

/** The Rust function, timed by itself in a process that waits between rounds. */
function rust() {
  const program = path.join(__dirname, '../../target/release/examples/stopwatch');
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('error', (error) => {
    console.error(`${error.message}\nhint: cargo build --release --example stopwatch`);
    process.exit(1);
  });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const measure = async (calls) => {
    child.stdin.write(`${calls}\n`);
    return Number((await lines.next()).value);
  };
  // As the others do, and for as long as it takes a processor to wake up.
  const afresh = async (calls) => {
    await measure(Math.ceil(calls / 2));
    return measure(calls);
  };
  return { name: 'rust', measure: afresh, close: () => child.stdin.end() };
}

/** How a tier is called. What answers at once is called without a Promise. */
function caller(tier, binding) {
  switch (tier) {
    case '0':
    case '0:tuned':
    case '1:spawn':
      return oneByOne(binding.generateQrCode);
    case '1:pool':
    case '3:async':
      return inFlight(binding.generateQrCode, IN_FLIGHT);
    default:
      return bySync(binding.generateQrCodeSync);
  }
}

/** The process of a row: times as many calls as it is told to. */
function timeCalls(tier) {
  const tuned = { tuned: require('../generate-qr-tuned') };
  const binding = qr.with({ tier, baseline: require('../generate-qr'), baselines: tuned });
  const measure = caller(tier, binding);
  process.on('message', async (calls) => {
    // What was left behind before is not this slice's.
    globalThis.gc();
    await measure(Math.ceil(calls / 2));
    process.send(await measure(calls));
  });
  process.on('disconnect', () => binding.close());
}

/** A row, timed in a process that waits while others are. */
function row(tier) {
  const child = fork(__filename, ['--row', tier], { execArgv: ['--expose-gc'] });
  child.on('exit', (code) => code && process.exit(code));
  const measure = async (calls) => {
    child.send(calls);
    const [nanoseconds] = await once(child, 'message');
    return nanoseconds;
  };
  return { name: tier, measure, close: () => child.disconnect() };
}

async function main() {
  process.env.TIERUP_WORKERS = String(WORKERS);
  const tiers = ['0', '0:tuned', '1:spawn', '1:pool', '2:bindgen', '2:core', '2:component', '3:native', '3:async'];
  const rows = [rust(), ...tiers.map(row)];
  for (const row of rows) {
    await row.measure(30);
    const estimate = await row.measure(30);
    row.calls = Math.max(3, Math.round((SLICE_MS * 1e6) / estimate));
    // Until the code is compiled and the caches are warm.
    for (let i = 0; i < 3; i++) await row.measure(row.calls);
    row.samples = [];
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of shuffled(rows)) {
      row.samples.push(await row.measure(row.calls));
    }
    process.stderr.write(`\rround ${round + 1} of ${ROUNDS}`);
  }
  process.stderr.write('\n');
  print(rows);
  rows.forEach(({ close }) => close());
}

function print(rows) {
  const reference = rows[0].samples;
  console.log(`Node ${process.version}, ${os.cpus().length} cores, ${ROUNDS} rounds of ${SLICE_MS} ms a row; ` +
    `1:pool with ${WORKERS} worker(s), it and 3:async with ${IN_FLIGHT} calls in flight`);
  const leastOf = (samples) => Math.min(...samples) / 1000;
  console.log('| row | us a call | fastest | x rust | fastest x rust |\n|---|---|---|---|---|');
  for (const { name, samples } of rows) {
    const ratio = summary(samples.map((sample, round) => sample / reference[round]));
    const fastest = leastOf(samples);
    const own = summary(samples.map((sample) => sample / 1000));
    const cells = [name, show(own), fastest.toFixed(2), show(ratio), (fastest / leastOf(reference)).toFixed(2)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)];
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

const show = ({ low, median, high }) => `${median.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;

function shuffled(items) {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

if (process.argv[2] === '--row') timeCalls(process.argv[3]);
else main();

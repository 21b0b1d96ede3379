// The cost of TIERUP_ROLLOUT in the process that calls: calls a project's first function, which takes a text, through two bindings in turns.
//
//   node rollout.mjs TIER BASELINE PACKAGE OTHER [CONTROL]
//
// BASELINE: the module with the server's own function, or `-`. PACKAGE, OTHER: folders of generated packages. The second binding has
// CONTROL, a control file, as its TIERUP_ROLLOUT. Prints the processor time of a call by each, and the median and the middle half of
// the ratios of pairs of blocks.
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const [tier, module, first, second, control] = process.argv.slice(2);
const [CALLS, PAIRS] = [Number(process.env.CALLS ?? 20), Number(process.env.PAIRS ?? 300)];

const own = module === '-' ? undefined : require(path.resolve(module));
const bind = (folder) => require(path.resolve(folder)).with({ tier, ...(own && { baseline: own }) });
const sides = [bind(first)];
if (control !== undefined) process.env.TIERUP_ROLLOUT = control;
sides.push(bind(second));
await Promise.all(sides.map((side) => side.ready()));
const { functions } = require(path.resolve(first, 'lib/types.js'));

/** Microseconds of processor time for a call. */
async function block(side) {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call += 1) await side[functions[0].name](`https://example.com/${call % 20}`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

const taken = [[], []];
for (let pair = -20; pair < PAIRS; pair += 1) {
  const order = pair % 2 === 0 ? [0, 1] : [1, 0];
  const times = [];
  for (const side of order) times[side] = await block(sides[side]);
  // This lets timers and connections run between the blocks, not in them.
  await new Promise((resolve) => setTimeout(resolve, 1));
  if (pair >= 0) times.forEach((time, side) => taken[side].push(time));
}
const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(part * (values.length - 1))];
const ratios = taken[1].map((time, pair) => time / taken[0][pair]);
console.log(`us a call: ${taken.map((times) => quantile(times, 0.5).toFixed(2)).join(', ')}`);
console.log(`ratio: ${[0.5, 0.25, 0.75].map((part) => quantile(ratios, part).toFixed(4)).join(', ')}`);
await Promise.all(sides.map((side) => side.close()));

// Prints what one call of 64 bytes costs in Node at `1:pool`, alone and beside calls of 16 MiB: by the package and by way
// of a supervisor. Arguments: the folder of conformance's package, the supervisor's program.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const [folder, program] = process.argv.slice(2).map((given) => path.resolve(given));
const require = createRequire(import.meta.url);
const { abi, functions } = require(path.join(folder, 'lib/types.js'));

const ROUNDS = 41;
const LAST = 0x80000000;
const PIECE = 65528;
const SMALL = Buffer.alloc(64, 7);
const LARGE = Buffer.alloc(16 << 20, 7);
const number = functions.findIndex(({ name }) => name === 'echoBytes');

/** A client of the supervisor's: pieces out, pieces in, answers by the number of their call. */
class Supervised {
  constructor() {
    this.child = spawn(program, [path.join(folder, 'artifacts/conformance'), abi, '2'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.calls = new Map();
    this.next = 0;
    this.rest = Buffer.alloc(0);
    this.large = [];
    this.isWriting = false;
    this.child.stdout.on('data', (chunk) => this.take(chunk));
  }

  echoBytes(bytes) {
    const id = (this.next = (this.next + 1) % 0x7fffffff);
    return new Promise((resolve) => {
      this.calls.set(id, { resolve, parts: [] });
      const body = Buffer.allocUnsafe(8 + bytes.length);
      body.writeUInt32LE(number, 0);
      body.writeUInt32LE(bytes.length, 4);
      bytes.copy(body, 8);
      if (body.length <= PIECE) this.child.stdin.write(piece(id, body, true));
      else {
        this.large.push({ id, body, at: 0 });
        if (!this.isWriting) this.writeLarge();
      }
    });
  }

  /** One piece at a time, so that a short call comes between two. */
  writeLarge() {
    const first = this.large[0];
    this.isWriting = first !== undefined;
    if (!this.isWriting) return;
    const end = Math.min(first.at + PIECE, first.body.length);
    const bytes = piece(first.id, first.body.subarray(first.at, end), end === first.body.length);
    first.at = end;
    if (end === first.body.length) this.large.shift();
    this.child.stdin.write(bytes, () => this.writeLarge());
  }

  take(chunk) {
    let data = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    while (data.length >= 8) {
      const head = data.readUInt32LE(4);
      const end = 8 + (head & 0x7fffffff);
      if (data.length < end) break;
      const id = data.readUInt32LE(0);
      const call = this.calls.get(id);
      call.parts.push(data.subarray(8, end));
      if (head >= LAST) {
        this.calls.delete(id);
        call.resolve(call.parts.length === 1 ? call.parts[0] : Buffer.concat(call.parts));
      }
      data = data.subarray(end);
    }
    this.rest = data;
  }

  close() {
    this.child.kill();
  }
}

function piece(id, bytes, isLast) {
  const out = Buffer.allocUnsafe(8 + bytes.length);
  out.writeUInt32LE(id, 0);
  out.writeUInt32LE(isLast ? (bytes.length | LAST) >>> 0 : bytes.length, 4);
  bytes.copy(out, 8);
  return out;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** Microseconds for each of `count` calls in a row. */
async function slice(binding, count) {
  const times = [];
  for (let call = 0; call < count; call += 1) {
    const start = performance.now();
    await binding.echoBytes(SMALL);
    times.push((performance.now() - start) * 1000);
  }
  return times;
}

process.env.TIERUP_WORKERS = '2';
const bindings = { 'the package': require(folder).with({ tier: '1:pool' }), 'a supervisor': new Supervised() };
const alone = {}, beside = {}, worst = {}, large = {};
for (const name of Object.keys(bindings)) [alone, beside, worst, large].forEach((kept) => (kept[name] = []));

for (let round = -1; round < ROUNDS; round += 1) {
  const names = Object.keys(bindings);
  if (Math.random() < 0.5) names.reverse();
  for (const name of names) {
    const quiet = median(await slice(bindings[name], 500));
    let isOver = false;
    const start = performance.now();
    let count = 0;
    const stream = (async () => {
      while (!isOver) {
        await bindings[name].echoBytes(LARGE);
        count += 1;
      }
    })();
    // The first goes out before any small one.
    await new Promise(setImmediate);
    const busy = await slice(bindings[name], 100);
    isOver = true;
    await stream;
    if (round < 0) continue;
    alone[name].push(quiet);
    beside[name].push(median([...busy]));
    worst[name].push(Math.max(...busy));
    large[name].push(((performance.now() - start) * 1000) / count);
  }
}
console.log('| Node | 64 bytes alone, us | least | beside 16 MiB, us | the slowest of 100, us | 16 MiB, us |\n|---|--:|--:|--:|--:|--:|');
for (const name of Object.keys(bindings)) {
  const least = Math.min(...alone[name]);
  const cells = [median(alone[name]), least, median(beside[name]), median(worst[name]), median(large[name])];
  console.log(`| ${name} | ${cells.map((cell) => cell.toFixed(cell < 1000 ? 1 : 0)).join(' | ')} |`);
}
Object.values(bindings).forEach((binding) => binding.close());

// Makes a project for one TypeScript function, as each of these servers runs it, and says where a type differs from its
// declaration. In: the program `tierup` as the first argument. Out: a line for each server; 1 if one differs.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const tierup = resolve(process.argv[2] ?? 'tierup');
// A project within another workspace of Cargo would be a part of that one.
const folder = mkdtempSync(join(tmpdir(), 'typescript-'));
cpSync(import.meta.dirname, folder, { recursive: true, verbatimSymlinks: true });
process.chdir(folder);
const SOURCE = 'packages/core/src/price.ts:priceBasket';
const SERVERS = [
    ['tsc, by the source', SOURCE, 'node packages/api/dist/server.js'],
    ['tsx', SOURCE, 'node --import tsx --conditions source packages/api/src/server.ts'],
    ['esbuild', SOURCE, 'node dist/bundle.js'],
    ['tsc, by what runs', 'packages/core/dist/price.js:priceBasket', 'node packages/api/dist/server.js'],
];
const EXPECTED = [
    'in packages/core/src/price.ts:4 does.',
    'pub fn price_basket(lines: &[Line], coupon: Option<&str>, kind: Option<Kind>) -> Result<f64, String> {',
    'pub struct Line {\n    pub sku: String,\n    pub quantity: u32,\n    pub unit_price: f64,\n}',
    'pub enum Kind {\n    percent,\n    fixed,\n}',
];

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
let differs = 0;
for (const [title, place, command] of SERVERS) {
    const began = Date.now();
    clean();
    const made = spawnSync(tierup, ['init', '--function', place, '--command', command], { encoding: 'utf8' });
    const library = made.status === 0 ? readFileSync('hot/src/lib.rs', 'utf8') : '';
    const missing = EXPECTED.filter((part) => !library.includes(part));
    differs += Number(missing.length > 0);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`${title}: ${missing.length === 0 ? 'as declared' : 'DIFFERS'} (${seconds} s)`);
    missing.forEach((part) => console.log(`missing:\n${part}`));
    if (missing.length > 0) {
        console.log(made.status === 0 ? library : made.stderr);
    }
}
rmSync(folder, { recursive: true });
process.exitCode = differs === 0 ? 0 : 1;

function clean() {
    rmSync('tierup.toml', { force: true });
    rmSync('hot', { recursive: true, force: true });
}

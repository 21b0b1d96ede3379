// Servers in TypeScript, from the profile to the verdict, as a user would go: `profile` names the pure function first, with
// its line in the source; `init --function` makes its crate with the declared types; the function is written and the server calls it; `check`
// finds that it answers alike; `bench --quick` measures. In: the program `tierup` as the first argument, and servers to choose (all by
// default). Out: a line for each server with the minutes that it took; the exit code is 1 if one differs.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const tierup = resolve(process.argv[2] ?? 'tierup');
const chosen = process.argv.slice(3);

const BASKET = {
    place: 'packages/core/src/price.ts:4',
    function: 'priceBasket',
    package: 'price-basket',
    module: 'packages/core/dist/price.js',
    rust: 'price_basket.rs',
    requests: 'packages/api/requests.http',
    declared: [
        'pub fn price_basket(lines: &[Line], coupon: Option<&str>, kind: Option<Kind>) -> Result<f64, String> {',
        'pub struct Line {\n    pub sku: String,\n    pub quantity: u32,\n    pub unit_price: f64,\n}',
        'pub enum Kind {\n    percent,\n    fixed,\n}',
    ],
    caller: 'packages/api/src/server.ts',
    imported: [
        "import { priceBasket, type Line } from '@shop/core';",
        "import rust from 'price-basket';\nimport * as baseline from '@shop/core';\nimport type { Line } from '@shop/core';\n" +
            'const { priceBasketSync: priceBasket } = rust.with({ baseline });',
    ],
};
const NEAREST = {
    place: 'packages/nest/src/nearest.ts:4',
    function: 'nearest',
    package: 'nearest',
    rust: 'nearest.rs',
    requests: 'packages/nest/requests.http',
    declared: [
        'pub fn nearest(shops: &[Shop], at: &At, most: u32) -> Result<Vec<String>, String> {',
        'pub struct At {\n    pub latitude: f64,\n    pub longitude: f64,\n}',
    ],
    caller: 'packages/nest/src/shops.service.ts',
    imported: [
        "import { nearest } from './nearest';",
        "import rust = require('nearest');\nimport * as baseline from './nearest';\n" +
            'const { nearestSync: nearest } = rust.with({ baseline });',
    ],
};
const MATCHES = {
    place: 'packages/fastify/src/match.ts:4',
    function: 'bestMatches',
    package: 'best-matches',
    rust: 'best_matches.rs',
    requests: 'packages/fastify/requests.http',
    declared: [
        'pub fn best_matches(typed: &str, titles: &[String], limit: Option<u32>) -> Result<Vec<Answer>, String> {',
        'pub struct Answer {\n    pub title: String,\n    pub distance: u32,\n}',
    ],
    caller: 'packages/fastify/src/server.ts',
    imported: [
        "import { bestMatches } from './match.js';",
        "import rust from 'best-matches';\nimport * as baseline from './match.js';\n" +
            'const { bestMatchesSync: bestMatches } = rust.with({ baseline });',
    ],
};
const SERVERS = [
    { title: 'tsc', command: 'node packages/api/dist/server.js', ...BASKET },
    { title: 'tsx', command: 'node --import tsx --conditions source packages/api/src/server.ts', ...BASKET },
    { title: 'esbuild', command: 'node dist/bundle.js', ...BASKET },
    { title: 'webpack', command: 'node dist/webpack.js', ...BASKET },
    { title: 'nest', command: 'node packages/nest/dist/main.js', ...NEAREST },
    { title: 'ts-node', command: 'node -r ts-node/register packages/nest/src/main.ts', ...NEAREST },
    { title: 'fastify', command: 'node packages/fastify/dist/server.js', ...MATCHES },
];

const source = import.meta.dirname;
let failed = 0;
for (const server of SERVERS.filter(({ title }) => chosen.length === 0 || chosen.includes(title))) {
    // A project within another workspace of Cargo would be a part of that one.
    const folder = mkdtempSync(join(tmpdir(), 'typescript-'));
    try {
        cpSync(source, folder, { recursive: true, verbatimSymlinks: true });
        process.chdir(folder);
        execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
        const began = Date.now();
        const verdict = taken(server);
        console.log(`${server.title}: ${((Date.now() - began) / 60_000).toFixed(1)} minutes from profile to verdict: ${verdict}`);
    } catch (error) {
        failed += 1;
        console.log(`${server.title}: FAILED: ${error.message}`);
    } finally {
        process.chdir(source);
        rmSync(folder, { recursive: true });
    }
}
process.exitCode = failed === 0 ? 0 : 1;

/** Takes a server from the profile to the verdict, and returns what `bench` says. */
function taken({ command, ...of }) {
    const [file] = of.place.split(':');
    const way = ['--command', command, '--requests', of.requests];

    const profile = JSON.parse(run('profile', ...way, '--duration', '10s', '--json'));
    const first = profile.functions.find(({ candidate }) => candidate);
    const found = `${first?.function} at ${first?.file}:${first?.line}`;
    require(found === `${of.function} at ${join(process.cwd(), of.place)}`, `the first candidate is ${found}`);

    run('init', '--function', `${file}:${of.function}`, ...way);
    const made = join(of.package, 'src/lib.rs');
    const library = readFileSync(made, 'utf8');
    of.declared.forEach((part) => require(library.includes(part), `init has not read this declaration:\n${part}\n${library}`));
    const body = /\{\n    let _ = [^\n]*\n    Err\("not written yet"\.to_owned\(\)\)\n\}\n/;
    writeFileSync(made, library.replace(body, () => readFileSync(join('rust', of.rust), 'utf8')));

    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', `./tierup/${of.package}`], { stdio: 'inherit' });
    const caller = readFileSync(of.caller, 'utf8');
    const [before, after] = of.imported;
    require(caller.includes(before), `${of.caller} does not import the function`);
    writeFileSync(of.caller, caller.replace(before, after));
    // The server compiles before anything is built, as in a clone: the committed package has the types.
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });

    run('build', '--tiers', '3');
    run('check', '--tiers', '3');
    const report = run('bench', '--quick', '--tiers', '0,3');
    const [verdict] = report.match(/^=> .*$/m) ?? [];
    require(verdict !== undefined, `bench names no verdict\n${report}`);
    return verdict;
}

function run(...words) {
    const ran = spawnSync(tierup, words, { encoding: 'utf8' });
    require(ran.status === 0, `tierup ${words.join(' ')} exited with ${ran.status}\n${ran.stdout}\n${ran.stderr}`);
    return ran.stdout;
}

function require(holds, otherwise) {
    if (!holds) {
        throw new Error(otherwise);
    }
}

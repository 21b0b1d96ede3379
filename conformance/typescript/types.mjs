// The types of the package that `tierup package` makes, as projects of each kind find them: ES modules, CommonJS, a bundler's sources, and
// TypeScript's oldest way. In: the program `tierup` as the first argument. Out: what TypeScript says; 1 if it finds an error.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const tierup = resolve(process.argv[2] ?? 'tierup');
const modules = join(import.meta.dirname, 'node_modules');

const SOURCES = {
    'module.mts': `
        import rust, { slugify, with as bind, CallError, type Binding } from 'slug';
        const bound: Binding = bind({ tier: '2:core', baseline: (text: string) => text });
        const text: string = bound.slugifySync('x') + (await slugify('x')) + (await rust.slugify('x')) + rust.tier;
        try { await slugify(text); } catch (error) { if (error instanceof CallError) console.log(error.code); }
        // @ts-expect-error: index.mjs does not export it
        import { tier } from 'slug';`,
    'common.cts': `
        import rust = require('slug');
        const bound: rust.Binding = rust.with({ tier: '2:core', baseline: (text: string) => text });
        export const text: string = bound.slugifySync('x') + rust.slugifySync('x') + rust.tier;
        // @ts-expect-error: index.js does not export it
        rust.default;`,
    'old.ts': `
        import rust, { slugify } from 'slug';
        export const text: string = rust.tier + rust.slugifySync('x');
        slugify(text);`,
};
const WAYS = [
    ['node16', 'node16', 'module.mts', 'common.cts'],
    ['nodenext', 'nodenext', 'module.mts', 'common.cts'],
    ['bundler', 'esnext', 'module.mts'],
    ['bundler', 'preserve', 'module.mts', 'common.cts'],
    ['node10', 'commonjs', 'old.ts', '--esModuleInterop'],
];

const folder = mkdtempSync(join(tmpdir(), 'types-'));
const run = (cwd, program, ...words) => execFileSync(program, words, { cwd: join(folder, cwd), stdio: 'inherit' });
try {
    run('.', tierup, 'new', 'slug', '--host', 'node');
    const manifest = join(folder, 'slug/Cargo.toml');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('[package]\n', '[package]\nlicense = "MIT"\n'));
    run('slug', tierup, 'package', '--host', 'node', '--out', folder);
    writeFileSync(join(folder, 'package.json'), '{}');
    run('.', 'npm', 'install', '--silent', '--no-audit', '--no-fund', '--offline', './slug-0.1.0.tgz');
    Object.entries(SOURCES).forEach(([name, text]) => writeFileSync(join(folder, name), text));
    const roots = join(modules, '@types');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', '--typeRoots', roots];
    for (const [resolution, module, ...rest] of WAYS) {
        console.log(`${resolution}, ${module}: ${rest.join(' ')}`);
        run('.', join(modules, '.bin/tsc'), ...options, '--moduleResolution', resolution, '--module', module, ...rest);
    }
} finally {
    rmSync(folder, { recursive: true });
}

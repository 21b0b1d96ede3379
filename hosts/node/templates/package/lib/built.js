// Made by tierup; the same in every package.
//
// What was built: the record that `tierup build` keeps in `built.json`.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Unavailable } = require('./errors');
const manifest = require('../package.json');
const { abi, packageName } = require('./types');

const FOLDER = path.join(__dirname, '..');

/** Whether this is the package that `tierup package` makes. It is installed where nobody can build. */
const isPublished = manifest.private !== true;

/** The packages with one platform's files (`tierup package --split`); npm installs those for this system. */
const PARTS = Object.keys(manifest.optionalDependencies ?? {});

/** The record by variant: `{ built, reason }`. Empty if nothing was built yet. */
function read() {
  let text;
  try {
    text = fs.readFileSync(path.join(FOLDER, 'built.json'), 'utf8');
  } catch {
    return {};
  }
  try {
    const record = JSON.parse(text);
    if (record?.variants === undefined) throw new Error('it lists no variants');
    return record;
  } catch (error) {
    throw new Unavailable(`${packageName}: built.json is damaged (${error.message}): ${remedy()}`);
  }
}

/** Whether a variant was built for the interface of this package. */
function isBuilt(name) {
  const record = read();
  return record.abi === abi && record.variants?.[name]?.built === true;
}

/** Whether the built files have another interface than this package. */
function isStale() {
  const found = read().abi;
  return found !== undefined && found !== abi;
}

/** Throws, with the reason and the next step, if a variant was not built. */
function requireBuilt(name) {
  const reason = whyNot(name);
  if (reason !== undefined) throw new Unavailable(`${packageName} cannot run at tier ${name}: ${reason}`);
}

/** Why a variant cannot run; undefined if it was built. */
function whyNot(name) {
  if (isStale()) return `the built files have another interface than this package: ${remedy()}`;
  const entry = read().variants?.[name];
  if (entry === undefined) return `${isPublished ? 'the package was made without it' : 'it was not built'}: ${remedy(name)}`;
  return entry.built === true ? undefined : `it could not be built: ${entry.reason ?? remedy()}`;
}

/**
 * A built file of a variant, as `use(path, isOwn)` returns it; its path by default. `isOwn`: it was built on this machine. A package
 * for other machines has one for each C library: the first that `use` does not throw for is taken. Nobody is asked which library this
 * system has, as programs that tell are slow or wrong. Throws, with the next step, if there is none.
 */
function artifact(variant, name, use = (file) => file) {
  const own = path.join(FOLDER, 'artifacts', name);
  if (fs.existsSync(own)) return use(own, true);
  const platform = `${process.platform}-${process.arch}`;
  const built = platforms(name);
  const here = [...built.keys()].filter((folder) => folder === platform || folder.startsWith(`${platform}-`));
  // With a loader for glibc's files, musl's systems load either addon, but glibc's systems only their own. Programs for musl are
  // static and run everywhere, with a slower allocator.
  if (name.endsWith('.node')) here.reverse();
  const tried = [];
  let cause;
  for (const folder of here) {
    try {
      return use(built.get(folder), false);
    } catch (error) {
      tried.push(`\n  ${folder}: ${error.message}`);
      cause = error;
    }
  }
  if (tried.length > 0) throw new Error(`none of the package's files ${name} can be loaded here:${tried.join('')}`, { cause });
  const missing = PARTS.filter((part) => part.includes(`-${platform}`)).join(' or ');
  if (missing !== '') throw new Error(`${missing} is not installed, which has ${name}: npm leaves it out with --omit=optional`);
  const others = built.size > 0 ? `, only for ${[...built.keys()].join(', ')}` : '';
  if (built.size > 0 || isPublished) throw new Error(`the package has no ${name} for ${platform}${others}: ${remedy(variant)}`);
  throw new Error(`artifacts/${name} is missing: ${remedy(variant)}`);
}

/** The file for each platform, in a package that was made for several. */
function platforms(name) {
  const parts = PARTS.flatMap((part) => {
    try {
      return path.dirname(require.resolve(`${part}/package.json`));
    } catch {
      return [];
    }
  });
  const found = [FOLDER, ...parts].flatMap((folder) => {
    const artifacts = path.join(folder, 'artifacts');
    try {
      return fs.readdirSync(artifacts).map((platform) => [platform, path.join(artifacts, platform, name)]);
    } catch {
      return [];
    }
  });
  return new Map(found.filter(([, file]) => fs.existsSync(file)).sort());
}

/** What to do about files, of a variant or all, that are missing or do not fit. */
function remedy(variant) {
  if (isPublished) return 'install the package again, or ask its maker for another one';
  return variant === undefined ? 'run `tierup build`' : `run \`tierup build --tiers ${variant}\``;
}

/** Throws if a built file has another interface than this package. */
function checkAbi(found) {
  if (found !== abi) throw new Error(`the built file has another interface than this package: ${remedy()}`);
}

module.exports = { artifact, checkAbi, isBuilt, isStale, remedy, requireBuilt, whyNot };

// Made by tierup; the same in every package.
//
// What was built: the record that `tierup build` keeps in `built.json`.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Unavailable } = require('./errors');
const { abi, packageName } = require('./types');

const FOLDER = path.join(__dirname, '..');

/** The record by variant: `{ built, reason }`. Empty if nothing was built yet. */
function read() {
  let text;
  try {
    text = fs.readFileSync(path.join(FOLDER, 'built.json'), 'utf8');
  } catch {
    return {};
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unavailable(`${packageName}: built.json is damaged (${error.message}): run \`tierup build\``);
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
  if (isStale()) return 'the built files have another interface than this package: run `tierup build`';
  const entry = read().variants?.[name];
  if (entry === undefined) return `it was not built: run \`${command(name)}\``;
  return entry.built === true ? undefined : `it could not be built: ${entry.reason ?? 'see `tierup build`'}`;
}

/**
 * A built file of a variant, as `use(path, isOnly)` returns it; its path by default. A package for several platforms has one for each C
 * library: the first that `use` does not throw for is taken. Nobody is asked which library this system has, as programs that tell are
 * slow or wrong. Throws, with the next step, if there is none.
 */
function artifact(variant, name, use = (file) => file) {
  const own = path.join(FOLDER, 'artifacts', name);
  if (fs.existsSync(own)) return use(own, true);
  const platform = `${process.platform}-${process.arch}`;
  const built = platforms(name);
  const here = built.filter((folder) => folder === platform || folder.startsWith(`${platform}-`));
  const tried = [];
  for (const folder of here) {
    try {
      return use(path.join(FOLDER, 'artifacts', folder, name), here.length === 1);
    } catch (error) {
      tried.push(`\n  ${folder}: ${error.message}`);
    }
  }
  if (tried.length > 0) throw new Error(`none of the package's files ${name} can be loaded here:${tried.join('')}`);
  if (built.length > 0) throw new Error(`the package has no ${name} for ${platform}, only for ${built.join(', ')}`);
  throw new Error(`artifacts/${name} is missing: run \`${command(variant)}\``);
}

/** The platforms that a built file is there for, in a package that was made for several. */
function platforms(name) {
  try {
    return fs.readdirSync(path.join(FOLDER, 'artifacts')).filter((folder) => fs.existsSync(path.join(FOLDER, 'artifacts', folder, name))).sort();
  } catch {
    return [];
  }
}

/** The command that builds a variant. */
function command(variant) {
  return `tierup build --tiers ${variant}`;
}

/** Throws if a built file has another interface than this package. */
function checkAbi(found) {
  if (found !== abi) throw new Error('the built file has another interface than this package: run `tierup build`');
}

module.exports = { artifact, checkAbi, isBuilt, isStale, requireBuilt, whyNot };

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

/** The path of a built file of a variant. Throws, with the next step, if it is missing. */
function artifact(variant, name) {
  const file = path.join(FOLDER, 'artifacts', name);
  if (!fs.existsSync(file)) throw new Error(`artifacts/${name} is missing: run \`${command(variant)}\``);
  return file;
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

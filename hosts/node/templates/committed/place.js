// Made by tierup; the same in every package.
//
// Where `tierup build` left the package with the built variants: `.tierup/node` in a folder above this one, or above the file
// that was started, because some package managers copy this package to a place of their own.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { packageName } = require('./types');

/** The folder of the built package; undefined if nothing was built. A tier that was requested may say more of why it cannot run. */
function builtPackage() {
  const isRequested = Boolean(process.env.TIERUP_TIER);
  for (const above of [...foldersAbove(__dirname), ...foldersAbove(started())]) {
    const folder = path.join(above, '.tierup', 'node');
    if (read(folder, 'package.json')?.name !== packageName) continue;
    if (isRequested || hasVariants(read(folder, 'built.json'))) return folder;
  }
  return undefined;
}

/** A folder and all those above it. */
function foldersAbove(folder) {
  const all = [];
  for (let at = folder; at !== undefined && at !== all.at(-1); at = path.dirname(at)) all.push(at);
  return all;
}

/** The folder of the file that was started; undefined if there is none. */
function started() {
  try {
    return path.dirname(fs.realpathSync(process.argv[1]));
  } catch {
    return undefined;
  }
}

function hasVariants(record) {
  return Object.values(record?.variants ?? {}).some((variant) => variant?.built === true);
}

/** A JSON file of the package; undefined if it is missing or damaged. */
function read(folder, name) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

module.exports = { builtPackage };

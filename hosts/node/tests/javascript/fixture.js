'use strict';
// Packages with built variants, or with files that look like them.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { abi } = require(path.join(process.env.PACKAGE, 'lib/types.js'));
const folders = [];

process.on('exit', () => folders.forEach((folder) => fs.rmSync(folder, { recursive: true, force: true })));

/** A copy of the package with this record of what was built, and with `program` as its executable. */
function packageWith(variants, builtAbi = abi, program = undefined) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tierup-'));
  folders.push(folder);
  fs.cpSync(process.env.PACKAGE, folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'built.json'), JSON.stringify({ abi: builtAbi, variants }));
  if (program !== undefined) {
    fs.mkdirSync(path.join(folder, 'artifacts'));
    fs.writeFileSync(path.join(folder, 'artifacts/conformance'), program, { mode: 0o755 });
  }
  return Object.defineProperty(require(folder), 'folder', { value: folder });
}

module.exports = { abi, packageWith };

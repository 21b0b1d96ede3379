// Made by tierup; the same in every package.
//
// The control file of a rollout inside the process, which TIERUP_ROLLOUT names: plain `key=value` lines.
'use strict';

const { createHash } = require('node:crypto');
const fs = require('node:fs');

/** A longer file is refused, in bytes. */
const LONGEST = 4096;

const { O_NONBLOCK = 0, O_RDONLY } = fs.constants;

/** Reads the text. Rejects if there is no such file. Pipes and the like are refused without waiting. */
async function read(path) {
  const file = await fs.promises.open(path, O_RDONLY | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST + 1), 0, LONGEST + 1, 0);
    if (bytesRead > LONGEST) throw new Error(`it has more than ${LONGEST} bytes`);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Parses the file. `candidate` is a row, `shadow` and `share` are from 0 to 1, `key` is for the inputs' hash,
 * `keepsValues` for different answers, `slower` the tolerated ratio of times, `until` in seconds since 1970. Throws if
 * the file is not whole. Ignores unknown keys.
 */
function parse(text) {
  if (!text.endsWith('\n')) throw new Error('its last line has no end: it may be cut');
  const values = new Map();
  let before = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, key, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
    if (values.has('checksum')) throw new Error('`checksum` must be its last line');
    if (key === 'checksum' && value !== checksumOf(before)) throw new Error('its checksum does not fit the lines above it');
    before += `${line}\n`;
    if (line === '' || line.startsWith('#')) continue;
    if (key === undefined) throw new Error(`its line ${JSON.stringify(line.slice(0, 40))} is not key=value`);
    if (values.has(key)) throw new Error(`it has \`${key}\` twice`);
    values.set(key, value);
  }
  const candidate = values.get('candidate') ?? '';
  if (candidate === '') throw new Error('`candidate` is missing');
  const by = values.get('by') ?? 'call';
  if (by !== 'call' && by !== 'input') throw new Error(`\`by\` must be call or input, got ${JSON.stringify(by.slice(0, 40))}`);
  const keep = values.get('keep') ?? 'counts';
  if (keep !== 'counts' && keep !== 'values') throw new Error(`\`keep\` must be counts or values, got ${JSON.stringify(keep.slice(0, 40))}`);
  const generation = values.get('generation') ?? '';
  const until = Number(values.get('until') ?? Infinity);
  if (Number.isNaN(until)) throw new Error('`until` must be a number of seconds since 1970');
  const slower = values.has('slower') ? Number(values.get('slower')) : undefined;
  if (slower !== undefined && !(slower >= 1 && slower <= 1000)) throw new Error('`slower` must be a number from 1 to 1000');
  const key = values.get('key');
  return { candidate, shadow: part(values, 'shadow'), share: part(values, 'share'), isByInput: by === 'input', key, generation, keepsValues: keep === 'values', slower, until };
}

function part(values, key) {
  const text = values.get(key) ?? '0';
  if (!/^(?:0?\.\d+|0|1(?:\.0*)?)$/.test(text)) {
    throw new Error(`\`${key}\` must be a number from 0 to 1, such as 0.01, got ${JSON.stringify(text.slice(0, 40))}`);
  }
  return Number(text);
}

/** The same checksum as in the control file of `tierup ramp`. It detects truncated files, not forged ones. */
function checksumOf(lines) {
  return createHash('sha256').update(lines).digest('hex').slice(0, 16);
}

module.exports = { parse, read };

// Made by tierup; the same in every package.
//
// Recorded answers that outlive their process. `tierup bench` names a folder in TIERUP_RECORDING, and the servers that it
// starts for each block replay what was recorded there instead of doing the work again.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const { threadId } = require('node:worker_threads');

const ENDING = '.answers';

/** Opens the folder; undefined if there is none to use. */
function openRecording(folder = process.env.TIERUP_RECORDING) {
  if (!folder) return undefined;
  fs.mkdirSync(folder, { recursive: true });
  // Each writer has its own file, so that writers neither wait for each other nor mix their records.
  const own = path.join(folder, `${process.pid}-${threadId}${ENDING}`);

  /** All answers so far, as [function's number, key, value]. */
  function* read() {
    for (const name of fs.readdirSync(folder)) {
      if (name.endsWith(ENDING)) yield* records(fs.readFileSync(path.join(folder, name)));
    }
  }

  function add(number, key, value) {
    let record;
    try {
      record = v8.serialize([number, key, value]);
    } catch {
      return; // Functions and the like: an answer that only this process can give.
    }
    const length = Buffer.alloc(4);
    length.writeUInt32LE(record.length);
    fs.appendFileSync(own, Buffer.concat([length, record]));
  }

  return { read, add };
}

function* records(content) {
  let at = 0;
  while (at + 4 <= content.length) {
    const end = at + 4 + content.readUInt32LE(at);
    if (end > content.length) return; // Its writer was killed.
    yield v8.deserialize(content.subarray(at + 4, end));
    at = end;
  }
}

module.exports = { openRecording };

// Made by tierup; the same in every package.
//
// Counts how often `0:memo` found an answer in its cache. `tierup bench` names a folder in TIERUP_MEMO_COUNTS. Each
// process and thread writes a file there, at most ten times a second: numbers of calls, hits, entries, and bytes.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { threadId } = require('node:worker_threads');

/** Milliseconds between two writes. */
const PAUSE = 100;
/** The fixed length of a file, so that a reader never sees a part of a number. */
const LENGTH = 96;

let opened = 0;

class Counts {
  constructor(kept) {
    this.kept = kept;
    this.calls = 0;
    this.hits = 0;
    this.next = 0;
    this.file = undefined;
    this.folder = process.env.TIERUP_MEMO_COUNTS || undefined;
  }

  note(isHit) {
    this.calls += 1;
    if (isHit) this.hits += 1;
    if (this.folder !== undefined) this.write();
  }

  write() {
    const now = Date.now();
    if (now < this.next) return;
    this.next = now + PAUSE;
    const numbers = [this.calls, this.hits, this.kept.entries.size, this.kept.bytes].join(' ');
    try {
      if (this.file === undefined) {
        opened += 1;
        this.file = fs.openSync(path.join(this.folder, `${process.pid}-${threadId}-${opened}.counts`), 'w');
      }
      fs.writeSync(this.file, `${numbers.padEnd(LENGTH - 1)}\n`, 0);
    } catch {
      // The server goes on without counting.
      this.folder = undefined;
    }
  }
}

module.exports = { Counts };

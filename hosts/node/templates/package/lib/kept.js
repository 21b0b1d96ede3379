// Made by tierup; the same in every package.
//
// The answers that `0:memo` keeps, limited in number and bytes. The least recently used one is removed first.
'use strict';

const { wholeNumber } = require('./limits');

const MOST_ENTRIES = 1000;
const MOST_BYTES = 64 << 20;

/** The approximate size of an entry without its key and value. */
const ENTRY_BYTES = 200;

class Kept {
  constructor() {
    this.mostEntries = wholeNumber('TIERUP_MEMO_ENTRIES') ?? MOST_ENTRIES;
    this.mostBytes = wholeNumber('TIERUP_MEMO_BYTES') ?? MOST_BYTES;
    this.bytes = 0;
    // A Map keeps its keys in the order of insertion, so the first entry is the next one to remove.
    this.entries = new Map();
  }

  /** The entry of a key, which becomes the last one to be removed; undefined if there is none. */
  get(key) {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry;
  }

  /** Keeps an entry, unless it is larger than the whole limit. `size` is the size of its value. */
  put(key, entry, size) {
    this.drop(key);
    entry.bytes = ENTRY_BYTES + 2 * key.length + size;
    if (entry.bytes > this.mostBytes) return;
    // A copy of the key, as a part of a longer text, such as a request, would keep the whole text alive.
    this.entries.set(Buffer.from(key, 'utf8').toString('utf8'), entry);
    this.bytes += entry.bytes;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.mostEntries && this.bytes <= this.mostBytes) break;
      this.drop(oldest);
    }
  }

  drop(key) {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.bytes -= entry.bytes;
  }
}

module.exports = { Kept };

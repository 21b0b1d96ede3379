// Made by tierup; the same in every package.
'use strict';

/** First in, first out. An array's own `shift` moves all items, which is slow if ten thousand wait. */
class Queue {
  constructor() {
    this.items = [];
    this.head = 0;
  }

  get length() {
    return this.items.length - this.head;
  }

  push(item) {
    this.items.push(item);
  }

  /** The first item; undefined if there is none. */
  get first() {
    return this.items[this.head];
  }

  /** Removes the first item and returns it; undefined if there is none. */
  shift() {
    if (this.length === 0) return undefined;
    const item = this.items[this.head];
    this.items[this.head] = undefined;
    this.head += 1;
    if (this.head > 500 && this.head > this.items.length / 2) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** Removes the last item and returns it. */
  pop() {
    return this.items.pop();
  }

  /** Puts a few items before all others. */
  putBack(items) {
    if (items.length === 0) return;
    this.items = items.concat(this.items.slice(this.head));
    this.head = 0;
  }
}

module.exports = { Queue };

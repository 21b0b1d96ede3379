// Made by tierup; the same in every package.
'use strict';

/** Cuts a worker's output into frames: a 32-bit length and so many bytes. Each byte is copied at most once. */
class Frames {
  /** `onFrame(bytes, owned)` gets each frame's bytes, in order; unless they are `owned`, they are a part of the chunk. */
  constructor(onFrame) {
    this.onFrame = onFrame;
    this.header = Buffer.alloc(4);
    this.headerFilled = 0;
    this.body = null;
    this.bodyFilled = 0;
  }

  take(chunk) {
    let at = 0;
    while (at < chunk.length) {
      if (this.body !== null) {
        at += this.fillBody(chunk, at);
        continue;
      }
      const taken = this.fillHeader(chunk, at);
      at += taken;
      if (this.headerFilled < 4) return;
      this.headerFilled = 0;
      const length = this.header.readUInt32LE(0);
      if (chunk.length - at >= length) {
        this.onFrame(chunk.subarray(at, at + length), false);
        at += length;
      } else {
        this.body = Buffer.allocUnsafeSlow(length);
        this.bodyFilled = 0;
      }
    }
  }

  fillHeader(chunk, at) {
    const count = Math.min(4 - this.headerFilled, chunk.length - at);
    for (let i = 0; i < count; i += 1) this.header[this.headerFilled + i] = chunk[at + i];
    this.headerFilled += count;
    return count;
  }

  fillBody(chunk, at) {
    const { body } = this;
    const count = chunk.copy(body, this.bodyFilled, at);
    this.bodyFilled += count;
    if (this.bodyFilled === body.length) {
      this.body = null;
      this.onFrame(body, true);
    }
    return count;
  }
}

module.exports = { Frames };

'use strict';
// The desk that `2:bindgen` shares with its module, here with a module in JavaScript that answers with its arguments.

const assert = require('node:assert/strict');
const path = require('node:path');
const { test } = require('node:test');

const lib = (name) => require(path.join(process.env.PACKAGE, 'lib', name));
const { Desk } = lib('desk.js');

const PAGE = 1 << 16;

/** A module as wasm-bindgen makes it: the desk's words at 16, the room at the second page. */
class EchoModule {
  resets = 0;

  constructor() {
    this.begin();
  }

  begin() {
    this.memory = new WebAssembly.Memory({ initial: 2 });
    this.words = (...words) => new Uint32Array(this.memory.buffer, 16, 4).set(words);
    this.words(0, 0, 0, 0);
  }

  instanceMemory = () => this.memory;
  desk = () => 16;
  lastPanic = () => this.said;

  makeRoom = (capacity) => {
    this.memory.grow(Math.ceil(capacity / PAGE));
    this.words(PAGE, capacity, 0, 0);
  };

  echo = (first, second = 0) => {
    const [room, capacity] = new Uint32Array(this.memory.buffer, 16, 2);
    this.words(room, capacity, room, first + second);
  };

  echoAndGrow = (length) => {
    this.echo(length);
    this.memory.grow(1);
  };

  trap = () => {
    throw new WebAssembly.RuntimeError('unreachable');
  };

  __wbg_reset_state() {
    this.resets += 1;
    this.begin();
  }
}

/** The text that the module returns. */
function echoed(desk, exported, ...values) {
  const [first, second] = desk.putAll(values);
  desk.enter(exported, first, second);
  const from = desk.answer();
  const text = from.textOf(from.end - from.position);
  desk.clear();
  return text;
}

test('text and bytes lie one behind the other, as UTF-8', () => {
  const module = new EchoModule();
  const desk = new Desk(module);
  const long = 'löng, not ASCII 😀'.repeat(9);
  for (const text of ['', 'short', 'é', 'exactly 16 units', long, 'x'.repeat(40)]) {
    assert.equal(echoed(desk, module.echo, text), text);
    assert.equal(echoed(desk, module.echo, text, 'after'), `${text}after`);
    assert.equal(echoed(desk, module.echo, Buffer.from(text), long), text + long);
  }
});

test('room that is too small is asked for once', () => {
  const module = new EchoModule();
  const desk = new Desk(module);
  const asked = [];
  const { makeRoom } = module;
  module.makeRoom = (capacity) => {
    asked.push(capacity);
    makeRoom(capacity);
  };
  for (const length of [1, 2, 5000, 6000, 3]) {
    const text = 'é'.repeat(length);
    assert.equal(echoed(desk, module.echo, text), text);
  }
  assert.deepEqual(asked, [4096, 15000, 18000]);
});

test('memory that grows during a call takes nothing along', () => {
  const module = new EchoModule();
  const desk = new Desk(module);
  for (const text of ['first', 'the second one is a little longer', '3']) {
    assert.equal(echoed(desk, module.echoAndGrow, text), text);
  }
});

test('after a trap there is another instance', () => {
  const module = new EchoModule();
  const desk = new Desk(module);
  assert.throws(() => echoed(desk, module.trap, 'x'), { code: 'TIERUP_PANIC', message: 'the Wasm module trapped: unreachable' });
  assert.equal(echoed(desk, module.echo, 'alive'), 'alive');
  module.said = 'what the panic said';
  assert.throws(() => echoed(desk, module.trap, 'x'), { code: 'TIERUP_PANIC', message: 'what the panic said' });
  assert.equal(module.resets, 2);
});

test('an instance that has taken much memory is given back', () => {
  const module = new EchoModule();
  const desk = new Desk(module);
  module.memory.grow(PAGE / 16);
  assert.equal(echoed(desk, module.echo, 'large'), 'large');
  assert.equal(module.resets, 1);
  assert.equal(echoed(desk, module.echo, 'small again'), 'small again');
  assert.equal(module.resets, 1);
});

test('more than 2 GiB do not cross', () => {
  const desk = new Desk(new EchoModule());
  const half = { length: 2 ** 30 };
  assert.throws(() => desk.putAll([half, half]), RangeError);
});

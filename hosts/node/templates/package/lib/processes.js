// Made by tierup; the same in every package.
//
// Shared by the variants that start processes: finding the program, its standard error, and the error if it exits.
'use strict';

const childProcess = require('node:child_process');
const fs = require('node:fs');
const { TransportError } = require('./errors');

/** If standard error cannot keep up, further output of a process is dropped instead of kept in memory. */
const MOST_WAITING = 1 << 20;

const LONGEST_LINE = 1000;

/** A child of the program may hold the streams open after the program has exited. They are closed after this time. */
const PATIENCE = 1000;

/** How long a program may take to print its version, in milliseconds. The server waits for it when it starts. */
const TRIAL = 10_000;

/** The program's path. Throws if it cannot be run. */
function program(context) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return context.artifact(`${context.packageName}${suffix}`, usable);
}

/** The first bytes of programs in hexadecimal digits, and the processor's number at the position `machine`. */
const HEADS = {
  linux: { magic: '7f454c460201', machine: () => 18, x64: '3e00', arm64: 'b700' },
  darwin: { magic: 'cffaedfe', machine: () => 4, x64: '07000001', arm64: '0c000001' },
  win32: { magic: '4d5a', machine: (head) => head.readUInt32LE(0x3c) + 4, x64: '6486' },
};

/** A program's path. Throws if it cannot be run. `isOwn` says that it was built on this machine. */
function usable(path, isOwn) {
  fs.accessSync(path, fs.constants.X_OK);
  if (isOwn) return path;
  if (!isForThisMachine(path)) throw new Error(`it is no program for ${process.platform} and ${process.arch}`);
  const { error, status } = childProcess.spawnSync(path, ['--version'], { stdio: 'ignore', timeout: TRIAL });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`it ended with exit code ${status}`);
  return path;
}

/** Whether a file is a program for this machine. The C library would run any other file as a shell script. */
function isForThisMachine(path) {
  const head = Buffer.alloc(4096);
  const file = fs.openSync(path);
  try {
    fs.readSync(file, head);
  } finally {
    fs.closeSync(file);
  }
  const expected = HEADS[process.platform];
  const has = (digits, at) => digits !== undefined && head.toString('hex', at, at + digits.length / 2) === digits;
  return has(expected?.magic, 0) && has(expected[process.arch], expected.machine(head));
}

/**
 * Starts the program; `onFailure` gets the error if that fails, now or later. Without memory or file descriptors the process
 * may have no streams, hence every `?.` below.
 */
function start(path, line, onFailure, stdio = 'pipe') {
  const fail = (error) => onFailure(noStart(path, error));
  try {
    const child = childProcess.spawn(path, line, { stdio });
    child.on('error', fail);
    // If a program exits before it has read everything, its exit code tells why.
    child.stdin?.on('error', () => {});
    child.stdout?.on('error', () => {});
    child.stderr?.on('error', () => {});
    return child;
  } catch (error) {
    process.nextTick(fail, error);
    return undefined;
  }
}

/** Forwards a process's standard error to our own, and keeps its last line for the error that may follow. */
class StandardError {
  constructor() {
    this.tail = '';
  }

  take(chunk) {
    if (process.stderr.writableLength < MOST_WAITING) passOn(chunk);
    this.tail = (this.tail + chunk.toString('utf8')).slice(-LONGEST_LINE);
  }

  get lastLine() {
    return this.tail.trimEnd().split('\n').pop();
  }
}

let passing = 0;

/** Writes to standard error as console.error does: if the reader has gone, this process must not exit. */
function passOn(chunk) {
  if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
  passing += 1;
  process.stderr.write(chunk, () => {
    passing -= 1;
    // The event comes after this callback.
    if (passing === 0) setImmediate(stopIgnoring).unref();
  });
}

function stopIgnoring() {
  if (passing === 0) process.stderr.removeListener('error', ignore);
}

function ignore() {}

/** The error for a process that ended without an answer. */
function ending(path, code, signal, lastLine) {
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return new TransportError(`${path} ${how}${lastLine ? `: ${lastLine}` : ''}`);
}

/** The error for a process that could not be started. */
function noStart(path, error) {
  return new TransportError(`${path} could not be started: ${error.message}`, { cause: error });
}

module.exports = { PATIENCE, StandardError, ending, noStart, program, start, usable };

// Made by tierup; the same in every package.
//
// The companion: a program that starts a worker for each connection to its socket, and exits with this process.
//
// The first call starts it, and a later call starts it again if it has exited. Workers live on without it.
// TIERUP_POOL_SOCKET names the socket of a companion that another program has started.
'use strict';

const fs = require('node:fs');
const net = require('node:net');
const { TransportError } = require('./errors');
const { after, atMost, startedTooLate } = require('./limits');
const { ending, start } = require('./processes');

/** How long the companion may take to exit by itself before it is killed, in milliseconds. */
const PATIENCE = 5000;

/** After the companion could not be started, calls fail for so many milliseconds before another attempt. */
const PAUSE = 500;

/** Slightly more than the longest pause of the companion between starts of workers, in milliseconds. */
const LONGEST_PAUSE = 6000;

/** How many bytes are read at once. One buffer for all answers takes 2 us less than Node's way, one for each. */
const CHUNK = 64 << 10;

class Companion {
  /** `startTime`: how many milliseconds a start may take. */
  constructor(path, abi, startTime) {
    this.path = path;
    this.abi = abi;
    this.startTime = startTime;
    /** How long a connection may wait for its worker: for another start, for a pause, and for its own start. */
    this.patience = 2 * startTime + LONGEST_PAUSE;
    this.named = process.env.TIERUP_POOL_SOCKET || undefined;
    /** A promise of the socket's path; undefined if the companion has to be started. */
    this.socket = this.named && Promise.resolve(this.named);
    /** The companion's process, if this process has started it. */
    this.child = undefined;
    this.isClosed = false;
  }

  /**
   * Connects without keeping the event loop running, and starts the companion if there is none. `take(bytes)` gets what
   * arrives, and must not keep the bytes.
   */
  async connect(take) {
    const found = (await this.connected(take)) ?? (await this.connected(take));
    if (found === undefined) throw new TransportError(`${this.path} ended as soon as it had started: standard error says why`);
    return found;
  }

  /** Connects to the socket; undefined if no companion listens there. */
  async connected(take) {
    if (this.isClosed) throw new TransportError('the pool is closed');
    this.socket ??= this.start();
    const { socket } = this;
    const path = await socket;
    try {
      return await connection(path, take);
    } catch (error) {
      if (error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT') {
        throw new TransportError(`${path}: ${error.message}`, { cause: error });
      }
      if (this.named !== undefined) {
        throw new TransportError(`nobody listens on ${path} (TIERUP_POOL_SOCKET): does its program run?`, { cause: error });
      }
    }
    // Another call may have noticed this, too, and may be starting the companion.
    if (this.socket === socket) {
      this.end();
      this.socket = undefined;
      // A killed companion leaves its socket behind.
      fs.unlink(path, () => {});
    }
    return undefined;
  }

  /** Starts the companion; resolves with the path that it prints when it listens. */
  start() {
    const started = new Promise((resolve, reject) => {
      const child = start(this.path, ['--tierup-companion', this.abi], reject, ['pipe', 'pipe', 'inherit']);
      this.child = child;
      const isLate = () => {
        child?.kill('SIGKILL');
        reject(startedTooLate(this.path, this.startTime));
      };
      const stop = after(this.startTime, isLate, { isRef: false });
      let said = '';
      child?.stdout?.on('data', (chunk) => {
        said += chunk;
        if (!said.endsWith('\n')) return;
        stop();
        resolve(said.slice(0, -1));
      });
      child?.on('exit', (code, signal) => reject(ending(this.path, code, signal, 'standard error has its last words')));
      for (const handle of [child, child?.stdin, child?.stdout]) handle?.unref();
    });
    // Until then, all calls get the error.
    const again = () => {
      this.socket = undefined;
    };
    started.catch(() => setTimeout(again, PAUSE).unref());
    return started;
  }

  close() {
    this.isClosed = true;
    return this.end();
  }

  /** Ends this process's own companion by closing its standard input, so that it removes its socket. */
  async end() {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.destroy();
    await atMost(PATIENCE, new Promise((resolve) => child.once('exit', resolve)));
    child.kill('SIGKILL');
  }
}

function connection(path, take) {
  return new Promise((resolve, reject) => {
    const onread = { buffer: Buffer.allocUnsafeSlow(CHUNK), callback: (length, buffer) => take(buffer.subarray(0, length)) };
    const socket = net.connect({ path, onread }, () => resolve(socket));
    // After the connection is made, the failure of a worker shows as its end.
    socket.on('error', reject);
    socket.unref();
  });
}

module.exports = { Companion };

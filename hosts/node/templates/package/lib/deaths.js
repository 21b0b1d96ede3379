// Made by tierup; the same in every package.
//
// Deaths of processes in a call of a rollout's candidate: an addon that overflows its stack ends the process, and nothing there can
// tell of it any more. So each process has a file that says whether it is in such a call. A process that starts finds the files of
// those that have ended.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { threadId } = require('node:worker_threads');

const [OUTSIDE, INSIDE] = [Buffer.from('0'), Buffer.from('1')];

/** When this process began, in milliseconds. Clocks of its threads differ by a few. */
const BEGAN = Math.round(Date.now() - process.uptime() * 1000);
const SAME_PROCESS = 2000;

class Deaths {
  /** `name`: of the candidate; a death counts against this name only. */
  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
    this.path = undefined;
    this.file = undefined;
    this.depth = 0;
  }

  /** How many processes have died in a call of the candidate. Throws where that cannot be known. */
  count() {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    let count = 0;
    for (const name of fs.readdirSync(this.folder)) {
      if (name.endsWith('.call')) count += this.look(path.join(this.folder, name)) ? 1 : 0;
      else if (name.endsWith('.died') && fs.readFileSync(path.join(this.folder, name), 'utf8').endsWith(` ${this.name}\n`)) count += 1;
    }
    return count;
  }

  /** Whether a process has died in a call, by its file. Of several who look at it, one finds it. */
  look(file) {
    const [pid, began, , ...machine] = path.basename(file, '.call').split('-');
    if (machine.join('-') !== os.hostname() || lives(Number(pid), Number(began))) return false;
    try {
      const text = fs.readFileSync(file, 'utf8');
      if (!text.startsWith('1')) {
        fs.unlinkSync(file);
        return false;
      }
      fs.renameSync(file, file.replace(/call$/, 'died'));
      return text.endsWith(` ${this.name}\n`);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      return false;
    }
  }

  /** Makes this process's file. Throws where that fails: nobody would learn of its death. */
  begin() {
    const made = path.join(this.folder, `${process.pid}-${BEGAN}-${threadId}x${Date.now().toString(36)}-${os.hostname()}.call`);
    this.file = fs.openSync(made, 'wx', 0o600);
    this.path = made;
    fs.writeSync(this.file, `0 ${this.name}\n`);
  }

  /** A call begins. */
  enter() {
    this.depth += 1;
    if (this.depth === 1) this.write(INSIDE);
  }

  /** It has ended. */
  leave() {
    this.depth -= 1;
    if (this.depth === 0) this.write(OUTSIDE);
  }

  write(state) {
    // Calls may outlive it, and its number may be another file's by then.
    if (this.file === undefined) return;
    try {
      fs.writeSync(this.file, state, 0, 1, 0);
    } catch {
      // A disk that fails is none of the call's business.
    }
  }

  end() {
    const { file } = this;
    if (file === undefined) return;
    this.file = undefined;
    try {
      fs.closeSync(file);
      fs.unlinkSync(this.path);
    } catch {
      // Somebody else has removed it.
    }
  }
}

/** Whether a process of this machine lives that began then. */
function lives(pid, began) {
  if (pid === process.pid) return Math.abs(began - BEGAN) < SAME_PROCESS;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

module.exports = { Deaths };

// Made by tierup; the same in every package.
//
// Finds processes that died in a call of a rollout's candidate: an addon that overflows its stack ends the process,
// which can report nothing. So each process has a file that says whether it is in such a call, and new ones find it.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { threadId } = require('node:worker_threads');

const [OUTSIDE, INSIDE] = [Buffer.from('0'), Buffer.from('1')];

/** When this process began, in milliseconds. The clocks of its threads differ by a few milliseconds. */
const BEGAN = Math.round(Date.now() - process.uptime() * 1000);
const SAME_PROCESS = 2000;

class Deaths {
  /** `name` is the candidate's. A death counts only against this name. */
  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
    this.path = undefined;
    this.file = undefined;
    this.depth = 0;
  }

  /** How many processes have died in a call of the candidate. Throws if that cannot be known. */
  count() {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    let count = 0;
    for (const name of fs.readdirSync(this.folder)) {
      if (name.endsWith('.call')) count += this.look(path.join(this.folder, name)) ? 1 : 0;
      else if (name.endsWith('.died') && fs.readFileSync(path.join(this.folder, name), 'utf8').endsWith(` ${this.name}\n`)) count += 1;
    }
    return count;
  }

  /** Whether a process died in a call, by its file. If several processes look, only one gets true. */
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

  /** Makes this process's file. Throws if that fails, as its death would not be noticed. */
  begin() {
    const made = path.join(this.folder, `${process.pid}-${BEGAN}-${threadId}x${Date.now().toString(36)}-${os.hostname()}.call`);
    this.file = fs.openSync(made, 'wx', 0o600);
    this.path = made;
    fs.writeSync(this.file, `0 ${this.name}\n`);
  }

  /** Whether somebody has removed the file. */
  async isGone() {
    return fs.promises.access(this.path).then(() => false, () => true);
  }

  /** Must be called when a call begins. */
  enter() {
    this.depth += 1;
    if (this.depth === 1) this.write(INSIDE);
  }

  /** Must be called when a call has ended. */
  leave() {
    this.depth -= 1;
    if (this.depth === 0) this.write(OUTSIDE);
  }

  write(state) {
    // Calls may outlive the file, whose descriptor may then belong to another file.
    if (this.file === undefined) return;
    try {
      fs.writeSync(this.file, state, 0, 1, 0);
    } catch {
      // A failing disk must not affect the call.
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
      // The file has already been removed.
    }
  }
}

/** Whether the process still lives. `began` shows whether this process has only the same id. */
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

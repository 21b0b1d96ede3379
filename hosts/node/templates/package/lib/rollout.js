// Made by tierup; the same in every package.
//
// A rollout inside the process. TIERUP_ROLLOUT names a control file, which sets the share of calls that is compared
// with a candidate (shadow), and the share that the candidate answers (share). The control, i.e. the chosen tier,
// answers the others, or all if there is no valid file. Only functions that tierup.toml declares pure take part.
//
// All bindings in a thread share one rollout. It reads the file once a second, apart from the calls.
'use strict';

const { createHmac, randomBytes } = require('node:crypto');
const os = require('node:os');
const path = require('node:path');
const { threadId } = require('node:worker_threads');
const { Deaths } = require('./deaths');
const { atMost } = require('./limits');
const { Pairs } = require('./pairs');
const { parse, read } = require('./rollout_file');
const { Shadow, encodedAnswer, encodedArguments, encodedError } = require('./shadow');
const { isPromise } = require('./variants/baseline');

const SECOND = 1000;

/** How long `ready()` waits for the file and for the worker, in milliseconds. */
const PATIENCE = 5000;

/** After so many deaths in calls of the candidate, processes stop calling it. */
const MOST_DEATHS = 2;

/** If more than MOST_FAILED of BLOCK calls in a row panic, time out or are lost, the candidate gets no more calls. */
const [BLOCK, MOST_FAILED] = [100, 50];

/** The most sampled calls of asynchronous functions that may be under way. */
const MOST_UNDER_WAY = 64;

/** The most messages to the operator. Each one is printed once. */
const MOST_SAID = 20;

/** The hash's key if the file has none. An input then stays with one side as long as the process lives. */
const ownKey = randomBytes(16);

class Rollout {
  constructor(context, file) {
    if (process.platform === 'win32') throw new Error('it needs a system with Unix sockets');
    this.context = context;
    this.file = path.resolve(file);
    this.folder = `${this.file}.evidence`;
    this.said = new Set();
    this.text = undefined;
    this.isReading = false;
    /** The file's content, with the candidate's variant; if undefined, no call takes part. */
    this.inForce = undefined;
    /** The last candidate that was in force. */
    this.candidate = undefined;
    this.candidates = new Map();
    this.deaths = undefined;
    /** The candidate's calls since the last block ended, and how many of them failed. */
    this.block = { calls: 0, failed: 0 };
    this.underWay = 0;
    this.counts = { calls: 0, sampled: 0, too_large: 0, refused: 0, dropped: 0, shared: 0, erred: 0, errors: 0, panics: 0, timeouts: 0, lost: 0, pairs: 0, ahead: 0, behind: 0, squares: 0, control_ns: 0, candidate_ns: 0 };
    this.refusal = undefined;
    this.began = Date.now();
    this.shadow = new Shadow(context, this.folder, (words) => this.say(words));
    this.timer = setInterval(() => this.tick(), SECOND).unref();
    this.atExit = () => this.exit();
    process.once('exit', this.atExit);
    this.started = this.read().then(() => this.inForce && this.shadow.connect());
  }

  say(words) {
    if (this.said.has(words) || this.said.size >= MOST_SAID) return;
    this.said.add(words);
    console.warn(`${this.context.packageName}: TIERUP_ROLLOUT: ${words}`);
  }

  tick() {
    // If the file system hangs, the candidate must not stay in force.
    if (this.until <= Date.now() / 1000) this.text = this.inForce = undefined;
    this.shadow.tick();
    this.read();
    if (this.inForce !== undefined) this.shadow.connect();
    this.shadow.count(this.counted());
  }

  /** Reads the file; never rejects. */
  async read() {
    if (this.isReading) return;
    this.isReading = true;
    try {
      const control = parse(await read(this.file));
      this.until = control.until;
      if (control.until <= Date.now() / 1000) throw new Error('its judge has not renewed it: `until` is over');
      // The folder was removed, so a death would go unnoticed.
      if (await this.deaths?.isGone()) {
        this.deaths.end();
        this.deaths = this.text = undefined;
      }
      // A renewal alone changes nothing.
      const text = JSON.stringify({ ...control, until: 0 });
      if (text !== this.text) {
        this.inForce = undefined;
        this.obey(control);
        this.text = text;
      }
    } catch (error) {
      this.text = undefined;
      this.inForce = undefined;
      this.say(`${this.file} is not obeyed, so the control answers every call: ${error.message}`);
    }
    this.isReading = false;
  }

  obey(control) {
    // A reason that contains a value must not be sent without permission.
    if (!control.keepsValues) this.refusal = this.refusal?.split(':')[0];
    const { functions, isVariant } = this.context;
    const names = functions.filter(({ pure }) => !pure).map(({ name }) => name);
    if (names.length === functions.length) throw new Error('tierup.toml declares no function pure (`pure` of [function])');
    if (!isVariant(control.candidate)) throw new Error(`\`candidate\` must be a variant in Rust, such as 3:native, got ${JSON.stringify(control.candidate)}`);
    if (control.shadow === 0 && control.share === 0) return;
    if (names.length > 0) {
      const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
      this.say(`the control answers every call of ${names.slice(0, 3).join(', ')}${more}, which tierup.toml does not declare pure`);
    }
    const variant = control.share > 0 ? this.shared(control) : undefined;
    const share = variant === undefined ? 0 : control.share;
    this.candidate = control.candidate;
    this.block = { calls: 0, failed: 0 };
    const pairs = new Pairs(this.counts, functions.length);
    this.inForce = { ...control, share, variant, key: control.key ?? ownKey, pairs };
  }

  /** The candidate that answers calls; undefined if it must not. */
  shared({ candidate, generation }) {
    const name = `${candidate} ${generation}`.trim();
    try {
      // Only native code can end the process.
      if (candidate.startsWith('3:') && this.deaths?.name !== name) {
        const deaths = new Deaths(this.folder, name);
        const count = deaths.count();
        if (count >= MOST_DEATHS) {
          this.say(`${count} processes died in a call of ${candidate} (${this.folder}/*.died), so the control answers until \`generation\` is another one`);
          return undefined;
        }
        deaths.begin();
        this.deaths?.end();
        this.deaths = deaths;
      }
    } catch (error) {
      this.say(`the control answers, as nobody would learn that a call of ${candidate} ended the process: ${error.message}`);
      return undefined;
    }
    if (!this.candidates.has(candidate)) this.candidates.set(candidate, this.context.variantOf(candidate));
    return this.candidates.get(candidate).variant;
  }

  /** Answers a call; `way` is `call` or `callSync`. */
  answer(way, number, args, control) {
    const definition = this.context.functions[number];
    const now = this.inForce;
    // The control may read arguments that are not in the signature.
    if (now === undefined || !definition.pure || args.length > definition.arity || control.tier === now.candidate) {
      return control.variant[way](number, args);
    }
    this.counts.calls += 1;
    if (now.share > 0 && now.variant[way] !== undefined && isShared(now, number, definition, args)) {
      return this.answerShared(way, number, args, definition, now, control);
    }
    if (now.shadow > 0 && Math.random() < now.shadow) return this.answerSampled(way, number, args, definition, control);
    return this.timed(way, number, args, now, control, false);
  }

  /** Calls a side. Only calls that answer at once are timed: a promise also waits for the event loop. */
  timed(way, number, args, now, side, isCandidate) {
    const began = now.pairs.begin(now, number, isCandidate);
    const answer = side.variant[way](number, args);
    if (began !== undefined && !isPromise(answer)) now.pairs.end(now, number, isCandidate, began);
    return answer;
  }

  /** Calls the candidate, and the control if the candidate fails in any way. */
  answerShared(way, number, args, definition, now, control) {
    const deaths = now.candidate.startsWith('3:') ? this.deaths : undefined;
    this.counts.shared += 1;
    const instead = (error) => {
      deaths?.leave();
      const kind = failureOf(error);
      if (kind !== 'refused') this.counts[kind] += 1;
      this.ended(now, kind !== 'refused' && kind !== 'errors');
      const answer = control.variant[way](number, args);
      // The failure does not count if the control throws, too, at once or later.
      const answered = () => {
        if (kind === 'refused') this.refuse(definition.name, error.message);
        else if (kind === 'errors') this.counts.erred += 1;
      };
      if (isPromise(answer)) answer.then(answered, () => {});
      else answered();
      return answer;
    };
    const given = (value) => {
      deaths?.leave();
      this.ended(now, false);
      return value;
    };
    deaths?.enter();
    let answer;
    try {
      answer = this.timed(way, number, [...args], now, now, true);
    } catch (error) {
      return instead(error);
    }
    return isPromise(answer) ? answer.then(given, instead) : given(answer);
  }

  /** Counts a call of the candidate. After too many failures, the control answers until the file changes. */
  ended(now, isFailure) {
    const { block } = this;
    block.calls += 1;
    if (isFailure) block.failed += 1;
    if (block.calls < BLOCK) return;
    this.block = { calls: 0, failed: 0 };
    if (block.failed <= MOST_FAILED || this.inForce !== now) return;
    this.inForce = { ...now, share: 0 };
    this.say(`${block.failed} of ${BLOCK} calls failed at ${now.candidate}, so the control answers until the control file changes`);
  }

  /** Calls the control. Its arguments and answer are encoded before other code can change them. */
  answerSampled(way, number, args, definition, control) {
    const sample = this.take(number, args, definition, control);
    let answer;
    try {
      answer = control.variant[way](number, args);
    } catch (error) {
      this.failed(sample, error);
      throw error;
    }
    if (!isPromise(answer)) {
      this.answered(sample, answer);
      return answer;
    }
    this.underWay += 1;
    return Promise.resolve(answer).then(
      (value) => {
        this.underWay -= 1;
        this.answered(sample, value);
        return value;
      },
      (error) => {
        this.underWay -= 1;
        this.failed(sample, error);
        throw error;
      },
    );
  }

  /** Encodes the arguments. If they cannot be sent, the result is undefined, and the call is counted. */
  take(number, args, definition, control) {
    this.counts.sampled += 1;
    const sample = { number, definition, isBaseline: control.tier.startsWith('0'), args: undefined, refusal: undefined };
    if (this.underWay >= MOST_UNDER_WAY) {
      this.counts.dropped += 1;
      return undefined;
    }
    try {
      sample.args = encodedArguments(definition, args);
    } catch (error) {
      sample.refusal = String(error?.message ?? error);
      return sample;
    }
    if (sample.args !== undefined) return sample;
    this.counts.too_large += 1;
    return undefined;
  }

  answered(sample, value) {
    if (sample === undefined) return;
    if (sample.refusal !== undefined) {
      this.refuse(sample.definition.name, sample.refusal);
      return;
    }
    this.send(sample, () => encodedAnswer(sample.definition, value));
  }

  /** The control answered arguments that the candidate refuses. `why` may contain values, even a getter's words. */
  refuse(name, why) {
    this.counts.refused += 1;
    this.refusal ??= (this.inForce?.keepsValues ? `${name}: ${why}` : name).slice(0, 100);
  }

  failed(sample, error) {
    if (sample === undefined) return;
    const answer = sample.refusal === undefined ? encodedError(error, sample.isBaseline) : undefined;
    // Arguments that both sides refuse, or a lost call of the control, tell nothing about the candidate.
    if (answer === undefined) this.counts.sampled -= 1;
    else this.send(sample, () => answer);
  }

  send(sample, encode) {
    try {
      const answer = encode();
      if (answer === undefined) this.counts.too_large += 1;
      else if (!this.shadow.send(sample.number, sample.args, answer, this.inForce?.keepsValues)) this.counts.dropped += 1;
    } catch {
      // Reading a value may run code of the server, which may throw.
      this.counts.dropped += 1;
    }
  }

  counted() {
    const { began, candidate, counts, refusal } = this;
    return { process: `${process.pid}.${threadId}`, began, machine: os.hostname(), candidate, ...counts, refusal };
  }

  /** Writes to a Unix socket complete at once, or not at all. */
  exit() {
    this.shadow.count(this.counted());
    this.deaths?.end();
  }

  async close() {
    clearInterval(this.timer);
    process.removeListener('exit', this.atExit);
    this.inForce = undefined;
    await this.shadow.close(this.counted());
    this.deaths?.end();
    await Promise.all(Array.from(this.candidates.values(), ({ release }) => release()));
  }
}

function isShared(now, number, definition, args) {
  if (!now.isByInput) return Math.random() < now.share;
  try {
    const encoded = encodedArguments(definition, args);
    if (encoded === undefined) return false;
    const hash = createHmac('sha256', now.key).update(`${number} `).update(encoded).digest();
    return hash.readUInt32LE(0) < now.share * 2 ** 32;
  } catch {
    return false;
  }
}

/** The count to which a candidate's failure is added. */
function failureOf(error) {
  if (error?.code === 'TIERUP_ERR') return 'errors';
  if (error?.code === 'TIERUP_PANIC') return 'panics';
  if (error?.code === 'TIERUP_TIMEOUT') return 'timeouts';
  return error instanceof TypeError || error instanceof RangeError ? 'refused' : 'lost';
}

let rollout;
let users = 0;
let isRefused = false;

/** Wraps the chosen tier as the control of a rollout. If that is impossible, prints why and returns the tier. */
function around(chosen, context) {
  try {
    rollout ??= new Rollout(context, process.env.TIERUP_ROLLOUT);
  } catch (error) {
    if (!isRefused) console.warn(`${context.packageName}: TIERUP_ROLLOUT is not obeyed: ${error.message}`);
    isRefused = true;
    return chosen;
  }
  const own = rollout;
  users += 1;
  const { variant, release } = chosen;
  const wrapped = {
    call: (number, args) => own.answer('call', number, args, chosen),
    ready: () => Promise.all([variant.ready?.(), atMost(PATIENCE, own.started)]),
  };
  if (variant.callSync) wrapped.callSync = (number, args) => own.answer('callSync', number, args, chosen);
  const leave = async () => {
    users -= 1;
    if (users === 0) {
      rollout = undefined;
      await own.close();
    }
    await release();
  };
  return { ...chosen, variant: wrapped, release: leave };
}

module.exports = { around };

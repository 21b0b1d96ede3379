/** The options of `with`. */
export interface Options {
  /**
   * Tier 0: the server's own functions by name; if there is only one, that function itself will do.
   */
  baseline?: BaselineOption;
  /** Other baselines by label: `tuned` is run as tier `0:tuned`. */
  baselines?: { readonly [label: string]: BaselineOption };
  /** The tier to run instead of the one that `TIERUP_TIER` names, e.g. `3:native`. */
  tier?: string;
}

/** The functions at one tier. */
export interface Binding extends Functions {
  /** The tier that runs, e.g. `3:native`. */
  readonly tier: string;
  /** Resolves when calls are answered at full speed: workers started, modules compiled. */
  ready(): Promise<void>;
  /** Makes the golden call of `[health]` in `tierup.toml`; rejects if its answer is wrong. */
  checkHealth(): Promise<void>;
  /**
   * Frees what this binding uses. It waits for running calls until their time-out, or 10 seconds if there is none, and then
   * ends those that can be ended.
   */
  close(): Promise<void>;
  /** What runs and why, and what became of the calls. It waits for nothing. */
  metrics(): Metrics;
}

/** The numbers are of one binding in one thread, since it was bound. */
export interface Metrics {
  /** The package's name. */
  readonly package: string;
  /** The tier that runs, e.g. `3:native`. */
  readonly tier: string;
  /** What TIERUP_TIER or the option `tier` asked for; empty if neither did. */
  readonly asked: string;
  /** Why another tier runs than the one to expect: TIERUP_FALLBACK, or no variant is built. Otherwise empty. */
  readonly instead: string;
  /** The hash of the interface. */
  readonly abi: string;
  /** All calls, also those whose arguments were refused. */
  readonly calls: number;
  /** Calls in which the function itself failed: `CallError`, and at tier 0 whatever your own code threw. */
  readonly errors: number;
  /** Calls that ended in a `PanicError`. */
  readonly panics: number;
  /** Calls that ended in a `CallTimeoutError`. */
  readonly timeouts: number;
  /** Calls that ended in any other `TransportError`. */
  readonly lost: number;
}

/** The function itself returned an error, with its message. */
export class CallError extends Error {
  readonly code: 'TIERUP_ERR';
}

/** The function panicked. The next call is unharmed. */
export class PanicError extends Error {
  readonly code: 'TIERUP_PANIC';
}

/** The call or its answer was lost. */
export class TransportError extends Error {
  readonly code: 'TIERUP_TRANSPORT' | 'TIERUP_TIMEOUT';
}

/** The call was not answered within TIERUP_CALL_TIMEOUT. */
export class CallTimeoutError extends TransportError {
  readonly code: 'TIERUP_TIMEOUT';
}

declare function tierup_with(options?: Options): Binding;
export { tierup_with as with };
export function ready(): Promise<void>;
export function checkHealth(): Promise<void>;
export function close(): Promise<void>;
export function metrics(): Metrics;


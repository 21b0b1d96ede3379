/** What `with` takes. */
export interface Options {
  /**
   * Tier 0: the server's own functions by name; where there is only one, that function itself will do.
   */
  baseline?: BaselineOption;
  /** Other baselines by label: `tuned` is run as tier `0:tuned`. */
  baselines?: { readonly [label: string]: BaselineOption };
  /** What to run instead of what `TIERUP_TIER` says, e.g. `3:native`. */
  tier?: string;
}

/** The functions at one tier. */
export interface Binding extends Functions {
  /** What runs, e.g. `3:native`. */
  readonly tier: string;
  /** Resolves when calls are answered at full speed: workers started, modules compiled. */
  ready(): Promise<void>;
  /** Makes the golden call of `[health]` in `tierup.toml`, and rejects where its answer is not right. */
  checkHealth(): Promise<void>;
  /**
   * Ends what runs for this binding. Calls that are under way are answered first, those that do not end are ended:
   * after TIERUP_CALL_TIMEOUT, else after 10 seconds.
   */
  close(): Promise<void>;
}

/** The function answered with an error; the message is its own. */
export class CallError extends Error {
  readonly code: 'TIERUP_ERR';
}

/** The function panicked. The next call is unharmed. */
export class PanicError extends Error {
  readonly code: 'TIERUP_PANIC';
}

/** The call or its answer did not get through. */
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


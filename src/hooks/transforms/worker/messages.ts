/** Bounds of one call; the thread enforces them from inside, the pool from outside. */
interface CallLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Longest result, in bytes of JSON. */
  readonly resultBytes: number;
}

export interface BundleText {
  readonly code: string;
  /** Its source map as JSON text, to tell places in the author's own files. */
  readonly map: string;
}

/** One call of a transform, as it crosses to the thread. What the transform sees of it is the context. */
export interface TransformCall {
  /** Tells the calls of one thread apart; its answer repeats it. */
  readonly id: number;
  /** Names code and export together: what is loaded under a key never changes. */
  readonly key: string;
  /** Sent with the first call of its key, the thread remembers it. */
  readonly bundle?: BundleText;
  readonly exportName: string;
  readonly context: string;
  /** What `Date.now()` gives inside, epoch milliseconds. */
  readonly now: number;
  readonly limits: CallLimits;
}

/** What became of a call. The transform chose every text but the summary: fit to be shown, never to be trusted. */
export type CallOutcome = (
  | {
      readonly kind: 'returned';
      /** JSON text; absent: the transform returned undefined. */
      readonly json?: string;
    }
  | {
      readonly kind: 'threw';
      readonly name: string;
      readonly message: string;
      /** Its class and place in the author's files: this the transform did not choose, it may stand in a log. */
      readonly summary: string;
    }
  | { readonly kind: 'timeout' }
) & {
  readonly console: readonly string[];
};

/** What a thread sends: once that it is ready, then one answer per call. */
export type WorkerMessage =
  | {
      readonly type: 'ready';
      /** False: a virtual machine cannot be reset here, every call gets a new one. */
      readonly canReset: boolean;
    }
  | { readonly type: 'answer'; readonly id: number; readonly outcome: CallOutcome };

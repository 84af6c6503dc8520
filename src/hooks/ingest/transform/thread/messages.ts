/** Bounds of one call; the thread enforces them from inside, the pool from outside. */
export interface CallLimits {
  readonly timeoutMs: number;
  /** What the guest's heap may grow to. */
  readonly memoryBytes: number;
  /** Longest result, in bytes of JSON. */
  readonly resultBytes: number;
}

/** One call of a transform, as it crosses to the thread. What the guest sees of it is JSON text. */
export interface GuestCall {
  readonly id: number;
  /** Names code and export together: what is loaded under it never changes. */
  readonly key: string;
  /** The bundle, the first time this thread hears of the key. */
  readonly code?: string;
  readonly exportName: string;
  /** The context as JSON text. */
  readonly context: string;
  /** What `Date.now()` says in the guest, epoch milliseconds. */
  readonly now: number;
  readonly limits: CallLimits;
}

/** What became of a call. Everything in it was made by the guest: texts to be shown, never trusted. */
export type GuestOutcome = (
  | { readonly kind: 'returned'; /** JSON text; absent: undefined. */ readonly json?: string }
  | {
      readonly kind: 'threw';
      readonly name: string;
      readonly message: string;
      readonly stack: string;
    }
  | { readonly kind: 'timeout' }
) & { readonly console: readonly string[] };

/** What the thread says: once that it is there, then one answer per call. */
export type ThreadMessage =
  | {
      readonly type: 'ready';
      /** False: every call gets a new instance. */ readonly resets: boolean;
    }
  | { readonly type: 'answer'; readonly id: number; readonly outcome: GuestOutcome };

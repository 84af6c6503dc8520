/** What may be forgotten: everything older than these epoch milliseconds. */
export interface Retention {
  readonly payloadsBefore: number;
  readonly eventsBefore: number;
  readonly now: number;
}

/** Keeps the ledger small and healthy. */
export abstract class Upkeep {
  /**
   * Forgets a small step's worth (payloads, prompts, replies and tool calls; ended events; old transcripts and sessions without any; expired idempotency keys). True: there
   * is more to do. Unfinished events are never touched.
   */
  abstract prune(retention: Retention): Promise<boolean>;

  /** Resolves when the ledger can write; rejects with {@link LedgerUnavailable} and the reason when it cannot. */
  abstract health(): Promise<void>;

  /** Finishes what was begun and releases the store. Everything later is refused. */
  abstract close(): Promise<void>;
}

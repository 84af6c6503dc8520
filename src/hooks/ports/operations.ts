/** How much work stands where, for metrics. */
export interface WorkCounts {
  readonly kind: 'run' | 'heartbeat' | 'delivery';
  readonly state: 'waiting' | 'running' | 'dead';
  readonly count: number;
}

/** What an operator may do to the ledger. */
export abstract class Operations {
  /** Puts the dead runs and deliveries of an event back into the queue. Returns how many; null for an unknown event. */
  abstract retry(eventId: string): Promise<number | null>;

  /** Durable: holds over restarts. While paused nothing is accepted and no new work is claimed. */
  abstract setPaused(paused: boolean): Promise<void>;

  abstract isPaused(): Promise<boolean>;

  abstract counts(): Promise<readonly WorkCounts[]>;
}

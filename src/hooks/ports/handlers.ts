import type { Change } from './change.ts';
import type { HandlerJob } from './jobs.ts';

/**
 * Outcome of a call. `delivered` and `skipped`: `changes` are committed with the end of its work, and `reason`, warnings
 * among them, kept with it. `refused`: another attempt would end the same way. `missing`: the hook has no handler any more.
 */
export interface Handled {
  readonly outcome: 'delivered' | 'skipped' | 'refused' | 'missing';
  /** @default none */
  readonly changes?: readonly Change[];
  readonly reason?: string;
}

/** The handlers of the host's code, as the work loop asks them. */
export abstract class HandlerDoor {
  /** Ids of the hooks that have a handler. */
  abstract readonly hooks: readonly string[];

  /** @throws what the handler threw, an Error on its timeout, or anything once `stop` aborts */
  abstract call(job: HandlerJob, attempt: number, stop: AbortSignal): Promise<Handled>;
}

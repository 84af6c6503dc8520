import type { Change } from './change.ts';
import type { HandlerJob } from './jobs.ts';

/**
 * What a handler made of an event. `done`: `changes` are committed with the end of its work, and `warnings` kept with it.
 * `refused`: another attempt would end alike. `missing`: nobody handles its hook any more.
 */
export type Handled =
  | {
      readonly outcome: 'done';
      readonly changes: readonly Change[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'skipped' | 'refused'; readonly reason: string }
  | { readonly outcome: 'missing' };

/** The handlers of the host's code, as the work loop asks them. */
export abstract class HandlerDoor {
  /** Ids of the hooks that have a handler. */
  abstract readonly hooks: readonly string[];

  /** @throws whatever the handler has thrown, or an Error that says that it took too long; anything when `stop` aborts */
  abstract call(job: HandlerJob, attempt: number, stop: AbortSignal): Promise<Handled>;
}

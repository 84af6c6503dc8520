import type { EventStatus } from './event-status.ts';

/** How much one hook is used. */
export interface HookUse {
  /** Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  /** When its last event that is still kept was accepted, ISO 8601 in UTC; null: none is. */
  readonly lastAt: string | null;
  /** How many events were accepted since then, at most {@link MOST_COUNTED}, by how they stand; absent: none. */
  readonly statuses: Readonly<Partial<Record<EventStatus, number>>>;
}

/** Counting goes no further: a sender of a thousand events a second must not keep readers waiting. */
export const MOST_COUNTED = 100_000;

/** How many requests to one hook were refused. */
export interface HookRefusals {
  /** `wake`, `agent`, or the mapping (its id; its path where several share it); null: none was reached. */
  readonly hook: string | null;
  readonly count: number;
}

import type { WorkOrder } from './orders.ts';

/** Turns (runs and heartbeats share their session's key) and deliveries (channel and recipient) queue apart. */
export type Lane = 'turn' | 'delivery';

export interface NewWork {
  readonly lane: Lane;
  /** Work of one key is done in the order it was accepted, one at a time; different keys side by side. */
  readonly key: string;
  readonly kind: 'run' | 'heartbeat' | 'delivery';
  /** Id of the run or the delivery it is about. */
  readonly ref?: string;
  readonly eventId?: string;
  /** Epoch milliseconds before which a heartbeat is not begun; until then it does not hold its key. */
  readonly dueAt: number;
  /**
   * At most one of this kind and key waits (one heartbeat for many wakes). When one waits that was never begun and is
   * due later, this one's `dueAt` and `order` replace its own; otherwise this one is dropped.
   */
  readonly once?: boolean;
  /** What the step needs; outlives a release, so it carries a version `v`. */
  readonly order: WorkOrder;
}

import type { Change } from './change.ts';
import type { Lane, NewWork } from './new-work.ts';
import type { HeartbeatOrder, MessageOrder, RunOrder } from './orders.ts';

/** A right to do one piece of work, held by one process for a limited time. */
interface LeaseOf<Kind, Order> {
  readonly workId: number;
  readonly lane: Lane;
  readonly key: string;
  readonly kind: Kind;
  readonly ref: string | null;
  readonly eventId: string | null;
  /** 1 for the first; also the fencing token: a later attempt makes this lease worthless. */
  readonly attempt: number;
  /** True when the attempt before this one ended without a word (its process died). */
  readonly afterCrash: boolean;
  /** Epoch milliseconds when the work was accepted. */
  readonly acceptedAt: number;
  readonly order: Order;
}

export type RunLease = LeaseOf<'run', RunOrder>;
export type HeartbeatLease = LeaseOf<'heartbeat', HeartbeatOrder>;
export type DeliveryLease = LeaseOf<'delivery', MessageOrder>;
export type Lease = RunLease | HeartbeatLease | DeliveryLease;

/** What becomes of the work: finished, tried again later, or given up (kept, so that an operator can retry it). */
export type End = { type: 'done' } | { type: 'retry'; at: number } | { type: 'dead' };

/** How long a lease holds without being renewed. */
export const LEASE_MS = 60_000;

/**
 * The queue behind the effects. Order per key is first in, first out: work that waits for a retry holds its key,
 * work not yet due for its first attempt does not.
 */
export abstract class WorkLedger {
  /**
   * Up to `max` pieces of due work, each leased for {@link LEASE_MS}; the claim is durable before it resolves, and a
   * claimed run's story says `running`. Waits until there is any; resolves to none when `signal` aborts.
   */
  abstract claim(lane: Lane, max: number, signal: AbortSignal): Promise<readonly Lease[]>;

  /** Adds work that no event asked for (a periodic heartbeat). */
  abstract add(work: NewWork): Promise<void>;

  /** Extends a lease. False: it was lost to another attempt. */
  abstract renew(lease: Lease): Promise<boolean>;

  /**
   * Ends a step: `end` and all `changes` become durable together.
   * False: the lease was lost and nothing was written.
   */
  abstract commit(lease: Lease, end: End, changes: readonly Change[]): Promise<boolean>;
}

import type { BudgetRoom, TurnReservation } from './budgets.ts';
import type { Change } from './change.ts';
import type { ChannelConditions } from './channel.ts';
import type {
  DeliveryJob,
  HandlerJob,
  HeartbeatJob,
  Lane,
  NewWork,
  NoticeJob,
  RunJob,
} from './jobs.ts';
import type { Meter, Reservation } from './rules.ts';
import type { NewWait } from './wait.ts';

/** A right to do one piece of work, held by one process until it ends it with {@link WorkLedger.commit} or dies. */
interface LeaseOf<Kind, KindJob> {
  readonly workId: number;
  readonly lane: Lane;
  readonly key: string;
  readonly kind: Kind;
  readonly ref: string | null;
  readonly eventId: string | null;
  /** 1 for the first; also the fencing token: a later attempt makes this lease worthless. */
  readonly attempt: number;
  /** Attempts that failed, since {@link since}; what was interrupted did not fail. */
  readonly failures: number;
  /** Attempts before this one that ended without a commit, in a row: their process died during them. Stops are not counted. */
  readonly crashes: number;
  /** Whoever was asked in an attempt that was cut off may have acted ({@link WorkLedger.noteActing}). */
  readonly mayHaveActed: boolean;
  /** Epoch milliseconds when the work was accepted, or when an operator had it done anew. */
  readonly since: number;
  readonly job: KindJob;
}

/** One of the messages into which a reply was cut. */
export interface WorkPart {
  readonly text: string;
  /** Its place among them, from 1. */
  readonly place: number;
  readonly count: number;
}

export type RunLease = LeaseOf<'run', RunJob>;
export type HeartbeatLease = LeaseOf<'heartbeat', HeartbeatJob>;
export type DeliveryLease = LeaseOf<'delivery', DeliveryJob> & {
  /** What is to be sent now; absent: the job's text, which is in one piece. */
  readonly part?: WorkPart;
};
export type HandlerLease = LeaseOf<'delivery', HandlerJob>;
export type NoticeLease = LeaseOf<'notice', NoticeJob>;
export type Lease = RunLease | HeartbeatLease | DeliveryLease | HandlerLease | NoticeLease;

/** What ended badly and was not told yet. */
export interface BadEnds {
  readonly total: number;
  readonly through: number;
  /** The most frequent first, each with how often it came and the event it came with last. */
  readonly lines: readonly {
    readonly line: string;
    readonly count: number;
    readonly eventId: string | null;
  }[];
}

/** What work waits for that is not due by itself. */
export type HeldFor =
  'decision' | 'event' | 'collect' | 'limit' | 'budget' | 'loop' | 'quiet-hours';

/** What waits behind a piece of work in its queue. */
export interface Behind {
  readonly count: number;
  /** When the last of it was accepted, in epoch milliseconds; null: there is none. */
  readonly newestAt: number | null;
}

/**
 * What becomes of the work: finished, tried again later, or given up (kept, so that an operator can retry it).
 * `interrupted`: the service stopped during the attempt, which counts as nothing; crashes before it count on.
 * `release`: given back before anything was begun; it keeps its place and nothing is counted.
 * `cut`: a delivery is done in `parts` from now on, one lease each; it stays first in line and is due at once. `job` is
 * what is left beside them: the parts are stored once, and what one of them costs does not grow with the others.
 * `continue`: the lease's part is done and gone; the next is due at once, before anything else of its key.
 * `rest`: a turn whose backend cannot be asked now. It stays first of its key and is claimed again when
 * {@link ClaimLimits.resting} no longer names the backend, after those that were not asked.
 * `gather`: what waits behind it in its queue becomes a part of it, `most` pieces at most; then it is due, in the queue of
 * `key`.
 * `wait`: a run that waits for a person's decision or for an event, or what a rule holds. It is claimed again once that came, or at `until` (epoch
 * milliseconds); by then it holds its key, or lets what is behind it go on. Nothing is counted, and its age begins anew.
 */
export type StepOutcome =
  | { type: 'done' }
  /** `at`: epoch milliseconds before which it is not begun again. */
  | { type: 'retry'; at: number; interrupted?: true }
  | { type: 'release' }
  | { type: 'cut'; job: DeliveryJob; parts: readonly string[] }
  | { type: 'continue' }
  /** `asked`: it was asked and could not answer, which counts as a failure; otherwise nothing is counted. */
  | { type: 'rest'; backend: string; asked: boolean }
  /**
   * `wait` absent: what was asked before is open still. `awaits`: key of the event, or of the run that it came too soon
   * for; where the other is there already, it is due at once. `onEnd`: queued when the wait has ended.
   */
  | {
      type: 'wait';
      for: HeldFor;
      until: number;
      holdsKey: boolean;
      /** With `budget`: it is due before, once the end of a turn leaves something of what that had reserved. */
      isShort?: boolean;
      /** With `collect`: once so many are in its queue, it among them, it is due. */
      most?: number;
      wait?: NewWait;
      awaits?: string;
      job?: RunJob;
      onEnd?: NewWork;
    }
  | { type: 'gather'; most: number; key: string }
  | { type: 'dead' };

/**
 * What a claim leaves out, by who does the work (of a delivery the channel, which is the first word of its key; of a turn
 * the backend it rests for), by its kind or by whose it is.
 */
export interface ClaimLimits {
  /** How many runs may be under way at once in this process; heartbeats are claimed beside them. @default as many as there are */
  readonly maxRuns?: number;
  /** The same for all processes that share the ledger, counted exactly. @default as many as there are */
  readonly maxRunsTotal?: number;
  /** How many runs of a hook may be under way at once, by {@link NewWork.hook}. @default as many as there are */
  readonly perHook?: Readonly<Record<string, number>>;
  /** How much work of one channel may be under way at once. @default as much as there is */
  readonly perChannel?: number;
  /** Until when a channel or a backend rests, in epoch milliseconds: nothing of it is claimed before. @default none rests */
  readonly resting?: Readonly<Record<string, number>>;
}

/**
 * How long a lease holds without being renewed, in a store that several processes share; alone, it ends with its step
 * or the process.
 */
export const LEASE_MS = 20_000;

/**
 * The queue behind the effects. Order per key is first in, first out: work that waits for a retry holds its key,
 * a heartbeat not yet due for its first attempt does not. Runs and deliveries are due when they are accepted, whatever
 * becomes of the clock.
 *
 * Between keys it is fair: claims go round kinds, channels, hooks and senders, and take the oldest of each. What was
 * under way in two crashes in a row is handed out one at a time, so that it can be told what takes the process down.
 */
export abstract class WorkLedger {
  /**
   * Up to `max` pieces of due work, each leased; the claim is durable before it resolves, and a claimed run's record
   * says `running`. Waits until there is any; resolves to none when `signal` aborts.
   * @param limits what waits, and delays no other; asked each time that the ledger looks for work. Whoever widens them
   * claims anew: a claim that waits need not look again for a run that had no place.
   */
  abstract claim(
    lane: Lane,
    max: number,
    signal: AbortSignal,
    limits?: () => ClaimLimits,
  ): Promise<readonly Lease[]>;

  /** What waits behind the lease in its queue, counted up to `most`. */
  abstract behind(lease: Lease, most: number): Promise<Behind>;

  /** Counts a run by all of these meters, once however often it is begun, or by none where one is full. */
  abstract reserve(runId: string, meters: readonly Meter[]): Promise<Reservation>;

  /** Makes due what rules hold, since they may have changed: {@link claim} hands it out to be asked about again. */
  abstract reconsider(): Promise<void>;

  /**
   * Reserves a turn's use by all of its budgets, or by none where one is full. What was reserved by an attempt that was
   * cut off counts as used: nobody knows what it used. A turn that may pass a budget has it for itself.
   */
  abstract reserveTurn(turn: TurnReservation): Promise<BudgetRoom>;

  /** Adds work that no event asked for (a periodic heartbeat). */
  abstract add(work: NewWork): Promise<void>;

  /** What no notice has told yet. @param maxLines different ones. */
  abstract badEnds(maxLines: number): Promise<BadEnds>;

  /**
   * Keeps how channels fared, over restarts and for all who share the ledger; what is null stays. Called once a second
   * at most.
   */
  abstract noteChannels(news: ChannelConditions): Promise<void>;

  /** Extends a lease. False: it has ended, or was lost to another attempt. */
  abstract renew(lease: Lease): Promise<boolean>;

  /**
   * Notes durably, before an agent that can act is asked: if the attempt is cut off, every later lease says so, until an
   * attempt ends with its own commit. False: the lease was lost.
   */
  abstract noteActing(lease: Lease): Promise<boolean>;

  /**
   * Ends a step: `end` and all `changes` become durable together. False: the lease was lost, and nothing was written.
   * @throws LedgerUnavailable when it may be tried again; after any other error the work begins again when
   * {@link LEASE_MS} have passed
   */
  abstract commit(lease: Lease, end: StepOutcome, changes: readonly Change[]): Promise<boolean>;
}

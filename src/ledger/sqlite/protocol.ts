// What the main thread and the threads of the ledger say to each other: batches of calls one way, one answer for each
// batch the other way. Requests never wait for the disk on the main thread; they are written by the writer thread, and a
// batch of them is one transaction with one fsync (group commit).
import type { Acceptance, NewEvent } from '../../hooks/ports/event.ts';
import type { EventFilter, FoundEvents } from '../../hooks/ports/event-store.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import type { AcceptLimits, Retention } from '../../hooks/ports/ledger.ts';
import type { ClaimLimits, Lease } from '../../hooks/ports/work-ledger.ts';
import type { CallMap } from '../calls.ts';
import type { FreshReads, Reads, Writes } from '../core.ts';
import type { Key } from '../rows.ts';
import type { Followed } from '../search-follower.ts';

/** One call on its way to a thread. */
export type Call<C extends CallMap<C>, K extends keyof C = keyof C> = {
  [P in K]: { readonly name: P; readonly args: C[P]['args'] };
}[K];

/** Calls that are done in one transaction. */
export interface Batch<C extends CallMap<C>> {
  /** Epoch milliseconds by the host's clock: threads have no clock of their own. */
  readonly now: number;
  /** Milliseconds of a clock that nobody can set, by which steps of the other are noticed. */
  readonly elapsed: number;
  /** Whether anybody wants to know which events change. */
  readonly isWatched: boolean;
  readonly calls: readonly Call<C>[];
}

/** The answer to one {@link Batch}. */
export interface BatchAnswer {
  /** By the place of the call in the batch; absent for a call that failed. */
  readonly values: readonly unknown[];
  readonly failures: readonly CallFailure[];
  /** Lanes in which something may have become claimable, now or later: whoever waits there looks again. */
  readonly changedLanes: readonly Lane[];
  /** Keys of events that were accepted or changed their status, if anybody wants to know. */
  readonly changedEvents: readonly Key[];
  /** How long the batch took, most of it the commit. */
  readonly tookMs: number;
  /** Why nothing can be written any more, in a sentence; the thread ends. Null: all is well. */
  readonly lost: string | null;
}

/** A call that failed, by its place in the batch. */
export interface CallFailure {
  readonly index: number;
  /** The store could not be used; the call itself was fine and may be repeated. */
  readonly unavailable: boolean;
  /** How it is seen that the file is damaged, where it is. */
  readonly damage?: string;
  readonly message: string;
}

/** The writer's first message: what it found in the ledger, or why it cannot be used. */
export type Handshake =
  | { readonly refusal: string; readonly found: null }
  | { readonly refusal: null; readonly found: Inventory };

/** Comes before the writer's {@link Handshake} where another process has the directory, and it waits for it. */
export const WAITS = 'waits';

/** What a start finds. */
export interface Inventory {
  /** There was none: it was made. */
  readonly isNew: boolean;
  /** How many events, counted up to a limit. */
  readonly events: number;
  /** There are more than were counted. */
  readonly hasMore: boolean;
  /** Of all events, runs and deliveries; null: there is none. */
  readonly lastId: string | null;
  /** Pieces of work that are not done, counted up to the same limit. */
  readonly waiting: number;
}

/** A piece of work in the hands of the main thread: its row and the attempt. */
export type HeldLease = readonly [workId: number, attempt: number];

/** The only message of a checker, which looks for damage and ends. */
export interface CheckResult {
  /** In a few words; null: there is none. */
  readonly damage: string | null;
}

/** Asks a thread to finish and end. */
export const CLOSE = 'close';

/** With what a thread begins. */
export interface ThreadData {
  readonly role: 'writer' | 'reader' | 'checker';
  /** Directory of the ledger; null: in memory, where the writer does the reader's calls too. */
  readonly dir: string | null;
  readonly now: number;
  readonly elapsed: number;
  /** What the main thread has in hand, when the writer before this one died; all other leases have ended. */
  readonly held: readonly HeldLease[];
  /** True: events can be searched by their texts. */
  readonly hasSearch?: boolean;
  /** Of a writer, true: it waits until no other process has the directory. */
  readonly waitForLock?: boolean;
}

/** Everything that writes, and what has to be read in order with the writing. */
export interface WriterCalls extends FreshReads, Writes {
  accept: { args: [event: NewEvent, limits: AcceptLimits]; result: Acceptance };
  claim: { args: [lane: Lane, max: number, limits: ClaimLimits]; result: ClaimResult };
  renew: { args: [workId: number, attempt: number]; result: boolean };
  writeActivity: { args: []; result: null };
  prune: { args: [retention: Retention]; result: boolean };
  hasChangedTexts: { args: []; result: boolean };
  trimChangedTexts: { args: [followed: number]; result: boolean };
}

/** `nextDue`: epoch milliseconds when something will be claimable; null: not before its lane changes. */
export interface ClaimResult {
  readonly leases: readonly Lease[];
  readonly nextDue: number | null;
}

/** What an operator looks at; read beside the writer, never in its way. */
export interface ReaderCalls extends Reads {
  search: { args: [filter: EventFilter, search: string]; result: SearchAnswer };
  follow: { args: [budgetMs: number]; result: FollowedOnDisk };
}

/** What a search came to, or what is the matter with the index, in a sentence without its stop. */
export type SearchAnswer =
  | { readonly trouble: null; readonly page: FoundEvents }
  | { readonly trouble: string; readonly page: null };

/** How far the index is after a slice of following. */
export interface FollowedOnDisk extends Followed {
  /** How far changes were followed for good; null: not all of them yet. */
  readonly followed: number | null;
}

/** What the one thread of a ledger in memory answers. */
export type AllCalls = WriterCalls & ReaderCalls;

// What the ledger is asked to do, and how it goes to whoever does it: calls go out in groups, and each group is one
// transaction with one fsync (group commit). A host runs them, on the main thread or in a thread of its own; what is said
// is the same in both places.
import type { EventFilter, FoundEvents } from '../../hooks/ports/event-store.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import type { Retention } from '../../hooks/ports/ledger.ts';
import type { ClaimLimits, Lease } from '../../hooks/ports/work-ledger.ts';
import type { Host, Outcome } from '../call-queue.ts';
import type { CallMap } from '../calls.ts';
import type { FreshReads, Reads, Writes } from '../core.ts';
import type { AcceptCalls } from '../ports/intake.ts';
import type { Key } from '../rows.ts';
import type { Followed } from '../search-follower.ts';
import type { FileMark, LedgerFiles } from './worker/file/data-directory.ts';

export interface GroupHead {
  readonly isWatched: boolean;
  /** `begun`: one was under way since the group before; `ended`: it is over, so that little is left of the log. */
  readonly checkpoint: 'none' | 'begun' | 'ended';
}

export interface GroupAnswer extends Outcome {
  /** Lanes in which something may have become claimable, now or later: whoever waits there looks again. */
  readonly changedLanes: readonly Lane[];
  /** Keys of events that were accepted or changed their status, if anybody wants to know. */
  readonly changedEvents: readonly Key[];
  readonly tookMs: number;
  /** How long its COMMIT took, most of it the fsync; of several, the longest. */
  readonly commitMs: number;
  /** What became of the log; null: nobody looked. */
  readonly log: LogState | null;
}

export interface LogState {
  /** Pages that are only in the log. */
  readonly pages: number;
  /** True: what was forgotten may still be read in it. */
  readonly holdsForgotten: boolean;
}

export type SqliteHost<C extends CallMap<C>> = Host<C, GroupHead, GroupAnswer>;

/** The first message of a thread that answers: what a writer found in the ledger, or why it cannot be used. */
export type Handshake =
  | { readonly refusal: string; readonly found: null }
  | { readonly refusal: null; readonly found: Inventory | null };

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

export interface CheckResult {
  /** In a few words; null: there is none. */
  readonly damage: string | null;
}

export const CLOSE = 'close';

/** What a directory is opened by; the process holds its lock. */
export interface HeldFiles extends LedgerFiles {
  /** There was no database: it is made. */
  readonly isNew: boolean;
  /** Of the database, to read its header: closed after everything else, since that drops the locks of the process. */
  readonly descriptor: number;
  /** What lay at the paths when the ledger was opened first: it has to stay there. */
  readonly opened: Readonly<Record<'database' | 'lock', FileMark>>;
}

export interface WriterStart {
  readonly now: number;
  readonly elapsed: number;
  /** What the main thread has in hand, when there was a writer before this one; all other leases have ended. */
  readonly held: readonly HeldLease[];
  readonly hasSearch: boolean;
}

/** With what a thread begins. */
export type ThreadData =
  | { readonly role: 'writer'; readonly files: HeldFiles; readonly start: WriterStart }
  | { readonly role: 'reader'; readonly dir: string }
  | { readonly role: 'checker'; readonly dir: string };

/** Everything that writes, and what has to be read in order with the writing. */
export interface WriterCalls extends FreshReads, Writes, AcceptCalls {
  claim: { args: [lane: Lane, max: number, limits: ClaimLimits]; result: ClaimResult };
  renew: { args: [workId: number, attempt: number]; result: boolean };
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

export interface FollowedOnDisk extends Followed {
  /** How far changes were followed for good; null: not all of them yet. */
  readonly followed: number | null;
}

/** What the reader thread does: for operators, and for the writer. */
export interface ReaderThreadCalls extends ReaderCalls {
  /** Moves what is in the log into the database, as far as nobody reads it there. */
  checkpoint: { args: []; result: null };
}

/** What the one connection of a ledger in memory answers. */
export type AllCalls = WriterCalls & ReaderCalls;

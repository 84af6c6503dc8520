import type { ChannelLimits, End } from '../../hooks/ports/work-ledger.ts';
import type { Lane } from '../../hooks/ports/new-work.ts';
import type {
  ContextLimits,
  Conversations,
  Route,
  SessionContext,
} from '../../hooks/ports/conversations.ts';
import type {
  EventFilter,
  SessionFilter,
  SessionStory,
  Stories,
} from '../../hooks/ports/stories.ts';
import type { WorkCounts } from '../../hooks/ports/operations.ts';
import type { PackedEvent } from './packing.ts';
import type { WireAcceptance, WireChange, WireClaim, WireStory, WireWork } from './wire-data.ts';
import type { Retention } from '../../hooks/ports/upkeep.ts';

/** What a thread can be asked to do: a name, what it takes and what it answers. */
export type CallMap<C> = { [K in keyof C]: { args: readonly unknown[]; result: unknown } };

/** One call on its way to a thread. */
export type Call<C extends CallMap<C>, K extends keyof C = keyof C> = {
  [P in K]: { readonly name: P; readonly args: C[P]['args'] };
}[K];

/** The functions behind the calls; `now` is the clock's time when the batch was sent. */
export type Handlers<C extends CallMap<C>> = {
  readonly [K in keyof C]: (now: number, ...args: C[K]['args']) => C[K]['result'];
};

/** Calls that are done in one transaction. */
export interface Batch<C extends CallMap<C>> {
  readonly now: number;
  readonly calls: readonly Call<C>[];
}

/** A call that failed, by its place in the batch. */
export interface CallFailure {
  readonly index: number;
  /** The store could not be used; the call itself was fine. */
  readonly unavailable: boolean;
  readonly message: string;
}

/** The answer to one {@link Batch}. */
export interface BatchAnswer {
  readonly values: readonly unknown[];
  readonly failures: readonly CallFailure[];
  /** Lanes in which something may have become claimable, now or later. */
  readonly rung: readonly Lane[];
}

/** The first message of a writer: open, or why not. */
export interface Opening {
  readonly refusal: string | null;
}

/** Asks a thread to finish and end. */
export const CLOSE = 'close';

/** Whether the ledger is a directory or lives in memory. */
export interface ThreadData {
  /** Directory of the ledger; null: in memory. */
  readonly dir: string | null;
  readonly now: number;
}

export interface WriterCalls {
  accept: { args: [event: PackedEvent, maxSystemEvents: number]; result: WireAcceptance };
  claim: { args: [lane: Lane, max: number, limits: ChannelLimits]; result: WireClaim };
  add: { args: [work: WireWork]; result: null };
  renew: { args: [workId: number, attempt: number]; result: boolean };
  noteActing: { args: [workId: number, attempt: number]; result: boolean };
  abandon: { args: [workId: number, attempt: number]; result: null };
  commit: {
    args: [workId: number, attempt: number, end: End, changes: readonly WireChange[]];
    result: boolean;
  };
  context: { args: [session: string, limits: ContextLimits]; result: SessionContext };
  routes: { args: [session: string]; result: Awaited<ReturnType<Conversations['routes']>> };
  noteRoute: { args: [session: string, route: Route]; result: null };
  retry: { args: [eventId: string]; result: number | null };
  setPaused: { args: [paused: boolean]; result: null };
  isPaused: { args: []; result: boolean };
  prune: { args: [retention: Retention]; result: boolean };
  probe: { args: []; result: null };
}

export interface ReaderCalls {
  list: { args: [filter: EventFilter]; result: Awaited<ReturnType<Stories['list']>> };
  get: { args: [id: string]; result: WireStory | null };
  storedRequest: {
    args: [id: string];
    result: { hook: string; request: string; payload: string | null } | null;
  };
  sessions: { args: [filter: SessionFilter]; result: Awaited<ReturnType<Stories['sessions']>> };
  session: { args: [key: string]; result: SessionStory | null };
  counts: { args: []; result: readonly WorkCounts[] };
}

/** What a writer of an in-memory ledger answers. */
export type AllCalls = WriterCalls & ReaderCalls;

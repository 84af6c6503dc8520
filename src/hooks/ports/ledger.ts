import type { Activity, ActivityWindow } from './activity.ts';
import type { RunnerSession, TranscriptMessage, Trust } from './agent-runner.ts';
import type { AuditFilter, AuditPage, NewAuditEntry } from './audit.ts';
import type { DeliveryStatus, RunStatus } from './change.ts';
import type { ChannelConditions, ChannelId, Route } from './channel.ts';
import type { Clock } from './clock.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { EventStore } from './event-store.ts';
import type { Acceptance, IdempotencyKey, NewEvent } from './event.ts';
import type { Refusals } from './refusals.ts';
import type { WorkLedger } from './work-ledger.ts';

/**
 * The durable core: eight ports of one store, so that no part of the module holds more than it needs. The HTTP side
 * writes through {@link Intake} alone and steps of work through {@link WorkLedger} alone; everything else reads, or
 * looks after the store. A host replaces all eight together.
 * @publicApi
 */
export interface Ledger {
  readonly intake: Intake;
  readonly work: WorkLedger;
  readonly sessions: Sessions;
  readonly events: EventStore;
  readonly refusals: Refusals;
  readonly consoleSessions: ConsoleSessions;
  readonly admin: LedgerAdmin;
  readonly maintenance: Maintenance;
}

/** Opens a ledger when the module starts, e.g. `sqliteLedger({ dir })`. @publicApi */
export interface LedgerProvider {
  /**
   * @param log hears what an operator has to know: what was found, and what went wrong beside any call.
   * @throws Error with a sentence that says what to do when the store cannot be used.
   */
  open(clock: Clock, log?: LedgerLog): Promise<Ledger>;
}

/** Sentences for the operator; a Nest logger is one. @publicApi */
export interface LedgerLog {
  log(sentence: string): void;
  warn(sentence: string): void;
  error(sentence: string): void;
}

/** The ledger could not write (disk full, file lost). Nothing was stored; the same request may succeed later. @publicApi */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** A certificate that verified a request. @publicApi */
export interface KnownCertificate {
  /** Where it was fetched. */
  readonly address: string;
  readonly pem: string;
  /** Epoch milliseconds. */
  readonly fetchedAt: number;
}

/** Most certificates that a ledger keeps; beyond, the one that was fetched first goes. @publicApi */
export const KEPT_CERTIFICATES = 32;

/** How an event becomes durable; all that the HTTP side can write or ask. @publicApi */
export abstract class Intake {
  /** The event to which an idempotency key belongs now; null: nobody has it. */
  abstract holderOf(key: IdempotencyKey): Promise<string | null>;

  /**
   * Stores the event, its actions and their work in one commit, fsynced before it resolves.
   * @throws LedgerUnavailable when nothing could be stored.
   */
  abstract accept(event: NewEvent, limits: AcceptLimits): Promise<Acceptance>;

  /** The newest {@link KEPT_CERTIFICATES} that were kept. None in a ledger that keeps none: each is fetched again after a start. */
  async certificates(): Promise<readonly KnownCertificate[]> {
    return [];
  }

  /** Keeps one over restarts, in place of an earlier one of its address. */
  async keepCertificate(_certificate: KnownCertificate): Promise<void> {}
}

/** How much may wait; an event that would go beyond is refused as a whole. @publicApi */
export interface AcceptLimits {
  /** System events in one main session. A session that is half full asks for its heartbeat. */
  readonly maxSystemEvents: number;
  /** Of them, those of one hook. @default as many as there may be */
  readonly maxSystemEventsOfHook?: number;
  /** Runs of the event's hook that are not under way. @default as many as come */
  readonly maxQueued?: number;
}

/** A line that waits for the next turn of a main session. @publicApi */
export interface SystemEvent {
  /** Grows with every line; a turn that showed it consumes all up to it. */
  readonly seq: number;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly trust: Trust;
  /** Name of the hook that brought it. */
  readonly hook: string;
  /** Id of the event that it tells of; absent: it tells of none. */
  readonly eventId?: string;
  /** What became of the reply that it tells of; absent: it tells of none, or that was forgotten. */
  readonly delivery?: {
    readonly channel: string;
    readonly status: DeliveryStatus;
    /** Why it was not delivered, or not yet. */
    readonly error: string | null;
  };
}

/** How much of a session its next turn is given. @publicApi */
export interface ContextLimits {
  /** Most waiting lines. */
  readonly maxEvents: number;
  /** Of the waiting lines, in UTF-8. */
  readonly maxBytes: number;
  /** Of the transcript, in UTF-16 code units. */
  readonly maxHistoryCharacters: number;
  /** How long a line is held back while its delivery is under way, in milliseconds. @default 0 */
  readonly maxHoldMs?: number;
}

/** What a session brings to its next turn. @publicApi */
export interface SessionContext {
  /** The oldest waiting system events, in order, without those that are held back. */
  readonly pending: readonly SystemEvent[];
  /** Sequence numbers of those that are held back, before the last of {@link pending}. */
  readonly held: readonly number[];
  /** Epoch milliseconds when the next one is no longer held back, whatever its delivery does; null: none is. */
  readonly heldUntil: number | null;
  /** More wait than were given. */
  readonly hasMore: boolean;
  /** The newest turns that fit, oldest first; a turn (prompt and reply) is given whole or not at all. */
  readonly history: readonly TranscriptMessage[];
  /** Foreign text was shown to this session before, be it in {@link history} or only in what the runner remembers. */
  readonly isUntrusted: boolean;
  /** What the session's latest turn returned; null: none. */
  readonly runnerSession: RunnerSession | null;
}

/** What sessions remember between turns. All of them are named by their full keys. @publicApi */
export abstract class Sessions {
  /**
   * What the next turn of a session has to know: waiting lines up to both limits (at least one), and the end of its
   * transcript. Reads no more than it gives, whatever the session holds.
   */
  abstract context(session: string, limits: ContextLimits): Promise<SessionContext>;

  /** Where a main session last spoke: at all, and per channel. */
  abstract routes(
    session: string,
  ): Promise<{ last: Route | null; byChannel: Readonly<Partial<Record<ChannelId, string>>> }>;

  /** Notes that somebody spoke with this main session there (hosts call it for their own messages). */
  abstract noteRoute(session: string, route: Route): Promise<void>;

  /** Forgets where a main session last spoke: at all, and per channel. */
  abstract clearRoutes(session: string): Promise<void>;

  /**
   * Forgets what was said: the transcript, and the conversation that the session's runner keeps by itself. What waits for
   * the next turn stays. A turn that is under way still remembers what it was given, and adds itself when it ends.
   */
  abstract clearTranscript(session: string): Promise<void>;
}

/** How much work stands where, for metrics. @publicApi */
export interface WorkCounts {
  readonly kind: 'run' | 'heartbeat' | 'delivery' | 'notice';
  /** `dead`: given up, kept until its event is forgotten, and may be retried until then. */
  readonly state: 'waiting' | 'running' | 'dead';
  readonly count: number;
  /** Since when the oldest that is due waits, in epoch milliseconds; absent: none does. */
  readonly oldestDueAt?: number;
}

/**
 * Work that is due and not begun, of one hook and for one cause. `order`: it is behind other work of its session or
 * recipient. `retry`: an attempt failed, and the next is to come. `backend`: its model, provider, gateway or program cannot
 * be asked. `crash`: the process died twice during it, and it is tried alone. `slot`: it is up, and nobody has begun it.
 * @publicApi
 */
export interface WaitingWork {
  readonly kind: WorkCounts['kind'];
  /** Id of the mapping, `agent` or `wake`; null: none asked for it, as for heartbeats. */
  readonly hook: string | null;
  readonly cause: 'order' | 'retry' | 'backend' | 'crash' | 'slot';
  readonly count: number;
  /** When the oldest of it was accepted, or an operator had it done anew, in epoch milliseconds. */
  readonly since: number;
}

/** Dead runs of one hook, or dead deliveries of one hook to one channel. @publicApi */
export interface DeadWork {
  readonly kind: 'run' | 'delivery';
  /** Of deliveries; null: they are runs. */
  readonly channel: string | null;
  /** Id of the mapping, `agent` or `wake`, as {@link DeadWorkFilter.hook} takes it; null: replies of heartbeats. */
  readonly hook: string | null;
  readonly count: number;
  /** When the first of them was given up, in epoch milliseconds. */
  readonly since: number;
}

/** Which dead runs and deliveries; absent fields leave none out. @publicApi */
export interface DeadWorkFilter {
  /** Name of the event's hook, or id of its mapping; null: what no hook asked for, which are replies of heartbeats. */
  readonly hook?: string | null;
  /** Only deliveries to this channel. A retry makes those due, too, that wait for their next attempt. */
  readonly channel?: ChannelId;
  /** Epoch milliseconds: only of events that came then or later. */
  readonly since?: number;
  /** How the run or the delivery ended. Replies of heartbeats have no history that would say so, and are left out. */
  readonly status?: RunStatus | DeliveryStatus;
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** Most at a time, 1 to 200. */
  readonly limit: number;
}

/** What was done to dead work, and where the rest begins. @publicApi */
export interface DeadWorkPage {
  readonly count: number;
  /** Null: there was no more when it was asked. */
  readonly nextCursor: string | null;
}

/** A process that has the ledger open. @publicApi */
export interface LedgerInstance {
  readonly id: string;
  /** By which people tell processes apart: its host and its process id. */
  readonly name: string;
  /** Of this package; null: the process does not say. */
  readonly version: string | null;
  /** A digest: processes with the same one are configured alike. Null: the process does not say. */
  readonly configuration: string | null;
  /** ISO 8601, by the clock of the store. */
  readonly startedAt: string;
  /** When it was last heard of, likewise; twice a minute while it lives. */
  readonly seenAt: string;
  /** It is the one that answers. */
  readonly isThis: boolean;
  /** It begins no work and is not ready: an operator said so. */
  readonly draining: boolean;
  /** Steps of work that are under way in it. */
  readonly underWay: number;
}

/** What became of it: no such process was heard of lately; nobody else would do the work. @publicApi */
export type DrainOutcome = 'done' | 'unknown' | 'last';

/** What a process says of itself to those that share its ledger. @publicApi */
export interface InstanceFacts {
  readonly version: string;
  /** A digest: the same where processes are configured alike. */
  readonly configuration: string;
}

/** What was erased by an operator's word, beside events. @publicApi */
export interface Forgotten {
  /** Turns of sessions. */
  readonly turns: number;
  /** Lines that waited for the next turn of a main session. */
  readonly lines: number;
  /** Refused requests. */
  readonly refusals: number;
}

/** A step of forgetting by words. @publicApi */
export interface ForgottenStep extends Forgotten {
  /** Where the next step begins; null: that was the last. */
  readonly next: number | null;
}

/** What an operator may do to the ledger. @publicApi */
export abstract class LedgerAdmin {
  /**
   * Puts the dead runs and deliveries of an event back into the queue, and makes those due that wait for their next
   * attempt. Returns how many; null for an unknown event.
   */
  abstract retry(eventId: string): Promise<number | null>;

  /** Puts dead runs and deliveries back into the queue, the oldest first. Those of no event (heartbeats' replies) too. */
  abstract retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage>;

  /**
   * Forgets the dead runs and deliveries of an event: they are no longer counted and cannot be retried, and their
   * history says `dismissed`. Returns how many; null for an unknown event.
   */
  abstract dismiss(eventId: string): Promise<number | null>;

  /** The same for all that the filter finds, the oldest first. */
  abstract dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage>;

  /**
   * Erases an event: payload, request, runs, deliveries, work that is not begun, the lines that wait with its words, the
   * turns that were shown it, what notices were to tell of it. Of its row only id, hook, time, status and the digests of
   * its keys stay until they run out, so that nobody can send it again as if it were new.
   * @returns null for an unknown event; `under-way`: nothing was erased, since a step that would write its words again
   * has begun
   */
  abstract forget(eventId: string): Promise<Forgotten | 'under-way' | null>;

  /**
   * Erases what has all of the terms and is part of no event: turns of sessions, lines of no event, refusals, where
   * sessions last spoke, why channels failed; and of what operators did all but who did it, when and what. A step looks at some hundred turns.
   * @param terms folded, as `parseSearch` makes them
   * @param from 0, then each answer's `next`
   */
  abstract forgetMatching(terms: readonly string[], from: number): Promise<ForgottenStep>;

  /** Where what was forgotten may still stand, beyond the reach of the ledger: a sentence each. */
  abstract leftovers(): Promise<readonly string[]>;

  /** Durable: holds over restarts. While paused nothing is accepted and no new work is claimed. */
  abstract setPaused(paused: boolean): Promise<void>;

  abstract isPaused(): Promise<boolean>;

  /** Keeps what an operator did. @throws LedgerUnavailable */
  abstract audit(entry: NewAuditEntry): Promise<void>;

  /** What operators did, newest first. */
  abstract audited(filter: AuditFilter): Promise<AuditPage>;

  /** Every kind and state that has any work. */
  abstract counts(): Promise<readonly WorkCounts[]>;

  /** The dead runs and deliveries that can be retried, by hook and channel, the most first. */
  abstract dead(): Promise<readonly DeadWork[]>;

  /** What waits, by hook and cause; none in a ledger that cannot tell. */
  async waiting(): Promise<readonly WaitingWork[]> {
    return [];
  }

  /**
   * How many turns could begin but for what they rest for, by its name as {@link StepOutcome} `rest` has it, and how many
   * deliveries were not made yet, by channel.
   */
  abstract resting(): Promise<Readonly<Record<string, number>>>;

  /** How the channels fared last, whichever process tried them. */
  abstract channelConditions(): Promise<ChannelConditions>;

  /** The processes that have the ledger open and were heard of lately, the oldest first; null: only one can have it. */
  async instances(): Promise<readonly LedgerInstance[] | null> {
    return null;
  }

  /**
   * Drains one of them, whichever is asked, or lets it work again: it begins no work and is not ready, what it has begun
   * goes on to its end, and it accepts what still comes. Ends with the process. The last that works is never drained.
   */
  async setDraining(_id: string, draining: boolean): Promise<DrainOutcome> {
    return draining ? 'last' : 'unknown';
  }

  /**
   * What happened lately, as charts show it. Kept by the minute and over restarts, while the clock is set back or ahead,
   * too; a crash may cost the figures of the last minute, and no event.
   */
  abstract activity(window: ActivityWindow): Promise<Activity>;
}

/** What may be forgotten: everything older than these epoch milliseconds. @publicApi */
export interface Retention {
  readonly payloadsBefore: number;
  readonly eventsBefore: number;
  /** The time now, at which idempotency keys expire and sessions of the console have ended. */
  readonly now: number;
}

/** How a store is doing, for readiness and metrics. @publicApi */
export interface StoreState {
  /** Damage that the last look found or that somebody met since the start, in a few words; null: none is known. */
  readonly damage: string | null;
  /** Transactions since the ledger was opened, and how long all of them took. */
  readonly commits: number;
  readonly commitSeconds: number;
  /** The longest of the last minute or two. */
  readonly slowestCommitSeconds: number;
  readonly ledgerBytes: number;
  /** Of the write-ahead log. */
  readonly logBytes: number;
  /** Left on the disk; null: nobody knows. */
  readonly freeBytes: number | null;
}

/** Keeps the ledger small and healthy. @publicApi */
export abstract class Maintenance {
  /**
   * Forgets a small step's worth: payloads, prompts, replies and tool calls; ended events; old transcripts and sessions
   * without any; refusals; what operators did; why channels failed; sessions of the console that have ended; counts of activity; expired idempotency keys.
   * Unfinished events are never touched.
   * @returns true: there is more to do.
   */
  abstract prune(retention: Retention): Promise<boolean>;

  /** Resolves when the ledger can write; rejects with {@link LedgerUnavailable} and the reason when it cannot. */
  abstract health(): Promise<void>;

  /** Null: the store cannot tell. */
  async state(): Promise<StoreState | null> {
    return null;
  }

  /**
   * Resolves with a sentence when the store is lost for good, e.g. because its file was removed: everything is refused
   * until it is opened anew. Pending while it works, and for ever in a store that cannot tell.
   */
  untilLost(): Promise<string> {
    return new Promise(() => {});
  }

  /** Finishes what was begun and releases the store. Everything later is refused. */
  abstract close(): Promise<void>;
}

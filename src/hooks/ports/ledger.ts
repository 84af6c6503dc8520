import type { RunnerSession, TranscriptMessage } from './agent-runner.ts';
import type { BudgetMeter } from './budgets.ts';
import type { Trust } from './trust.ts';
import type { DeliveryStatus } from './change.ts';
import type { ChannelId, Route } from './channel.ts';
import type { Clock } from './clock.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { EventStore } from './event-store.ts';
import type { Acceptance, IdempotencyKey, NewEvent } from './event.ts';
import type { LedgerAdmin } from './ledger-admin.ts';
import type { Refusals } from './refusals.ts';
import type { WorkLedger } from './work-ledger.ts';

/**
 * The durable core: eight ports of one store, which a host replaces together. The HTTP side writes by {@link Intake}
 * alone, steps of work by {@link WorkLedger}.
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

/** Opens a ledger when the module starts, e.g. `sqliteLedger({ dir })`. */
export interface LedgerProvider {
  /** @param log hears what an operator has to know @throws Error that says what to do when the store cannot be used. */
  open(clock: Clock, log?: LedgerLog): Promise<Ledger>;
}

/** Sentences for the operator; a Nest logger is one. */
export interface LedgerLog {
  log(sentence: string): void;
  warn(sentence: string): void;
  error(sentence: string): void;
}

/** The ledger could not write (disk full, file lost). Nothing was stored; the same request may succeed later. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** A certificate that verified a request. */
export interface KnownCertificate {
  readonly address: string;
  readonly pem: string;
  /** Epoch milliseconds. */
  readonly fetchedAt: number;
}

/** Most certificates that a ledger keeps; beyond, the one that was fetched first goes. */
export const KEPT_CERTIFICATES = 32;

/** How an event becomes durable; all that the HTTP side can write or ask. */
export abstract class Intake {
  /** The event to which an idempotency key belongs now; null: nobody has it. */
  abstract holderOf(key: IdempotencyKey): Promise<string | null>;

  /**
   * Stores the event, its actions and their work in one commit, fsynced before it resolves.
   * @throws LedgerUnavailable when nothing was stored.
   */
  abstract accept(event: NewEvent, limits: AcceptLimits): Promise<Acceptance>;

  /** The newest {@link KEPT_CERTIFICATES} that were kept. None in a ledger that keeps none: each is fetched again after a start. */
  async certificates(): Promise<readonly KnownCertificate[]> {
    return [];
  }

  /** Keeps one over restarts, in place of an earlier one of its address. */
  async keepCertificate(_certificate: KnownCertificate): Promise<void> {}
}

/** How much may wait; an event that would go beyond is refused as a whole. */
export interface AcceptLimits {
  /** System events in one main session. A session that is half full asks for its heartbeat. */
  readonly maxSystemEvents: number;
  /** Of them, those of one hook. @default as many as there may be */
  readonly maxSystemEventsOfHook?: number;
  /** Runs of the event's hook that are not under way. @default as many as come */
  readonly maxQueued?: number;
  /** Once one of these is used up, an event that makes runs is refused. @default none */
  readonly budgets?: readonly Pick<BudgetMeter, 'name' | 'most' | 'perMs'>[];
}

/** A line that waits for the next turn of a main session. */
export interface SystemEvent {
  /** Grows with every line; a turn that showed it consumes all up to it. */
  readonly seq: number;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly trust: Trust;
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

/** How much of a session its next turn is given. */
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

/** What a session brings to its next turn. */
export interface SessionContext {
  /** The oldest waiting system events, in order, without those that are held back. */
  readonly pending: readonly SystemEvent[];
  /** Sequence numbers of those that are held back, before the last of {@link pending}. */
  readonly held: readonly number[];
  /** Epoch milliseconds when the next one is no longer held back, whatever its delivery does; null: none is. */
  readonly heldUntil: number | null;
  readonly hasMore: boolean;
  /** The newest turns that fit, oldest first; a turn (prompt and reply) is given whole or not at all. */
  readonly history: readonly TranscriptMessage[];
  /** Foreign text was shown to this session before, be it in {@link history} or only in what the runner remembers. */
  readonly isUntrusted: boolean;
  /** What the session's latest turn returned; null: none. */
  readonly runnerSession: RunnerSession | null;
}

/** What sessions remember between turns. All of them are named by their full keys. */
export abstract class Sessions {
  /** Waiting lines up to both limits (at least one), and the end of the transcript. Reads no more than it gives. */
  abstract context(session: string, limits: ContextLimits): Promise<SessionContext>;

  abstract routes(
    session: string,
  ): Promise<{ last: Route | null; byChannel: Readonly<Partial<Record<ChannelId, string>>> }>;

  /** Notes that somebody spoke with this main session there (hosts call it for their own messages). */
  abstract noteRoute(session: string, route: Route): Promise<void>;

  /** Forgets where a main session last spoke: at all, and per channel. */
  abstract clearRoutes(session: string): Promise<void>;

  /**
   * Forgets the transcript and the conversation that the runner keeps; what waits stays. A turn under way adds itself
   * when it ends.
   */
  abstract clearTranscript(session: string): Promise<void>;
}

/** What may be forgotten: everything older than these epoch milliseconds. */
export interface Retention {
  readonly payloadsBefore: number;
  readonly eventsBefore: number;
  /** The time now, at which idempotency keys expire and sessions of the console have ended. */
  readonly now: number;
}

/** How a store is doing, for readiness and metrics. */
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

/** Keeps the ledger small and healthy. */
export abstract class Maintenance {
  /**
   * Forgets a small step's worth of everything that is older, payloads, prompts and replies before their events;
   * unfinished events are never touched.
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
   * Resolves with a sentence when the store is lost for good, e.g. because its file was removed; pending while it works
   * or cannot tell.
   */
  untilLost(): Promise<string> {
    return new Promise(() => {});
  }

  /** Finishes what was begun and releases the store. Everything later is refused. */
  abstract close(): Promise<void>;
}

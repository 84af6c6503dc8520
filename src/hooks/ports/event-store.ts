import type { CapabilityContract, TokenUsage, ToolCall } from './agent-runner.ts';
import type { Trust } from './trust.ts';
import type { AttemptNote, DeliveryStatus, RunStatus } from './change.ts';
import type { EventRequest } from './event.ts';
import type { ChannelId, Route } from './channel.ts';
import type { EventStatus } from './event-status.ts';
import type { HookUse } from './hook-use.ts';
import type { WaitDetails } from './wait.ts';

/** `requested`: a system event of it asked for a heartbeat and was not shown yet in a turn that succeeded. */
export type HeartbeatStatus = 'none' | 'requested' | 'done' | 'failed';

/** One line of the list of events. All times here are ISO 8601 in UTC. */
export interface EventSummary {
  readonly id: string;
  /** Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  readonly status: EventStatus;
  readonly receivedAt: string;
  /** Id of the mapping that matched. */
  readonly mapping: string | null;
  /**
   * What it was about: name and first words of its first action, in one line of at most 160 characters, without anything
   * that looks like a credential. Null: there is no action, or the retention of payloads has passed, or its first
   * words have no character that one could see.
   */
  readonly headline: string | null;
  /** Why it was skipped or failed: of its parts the first that did; at most 160 characters in a list. Null: it was not, or did not. */
  readonly error: string | null;
  /**
   * Why it goes on later: what the first of its runs and deliveries that wait for another attempt has met, in at most 160
   * characters. Null: none of them waits, or they were not tried yet.
   */
  readonly waitReason: string | null;
  /** The agent of its first action. Null: there is no action. */
  readonly agentId: string | null;
  /**
   * Where its reply goes: the channel of its first delivery, else what its first action asks for, which may be `last`. Null:
   * nowhere.
   */
  readonly channel: string | null;
  /** Of a search: in one line what was found, with the words around it, without anything that looks like a credential. */
  readonly match?: string;
}

/** Everything that became of one event. */
export interface EventDetails extends EventSummary {
  readonly request: EventRequest & {
    /**
     * The body as it was parsed, credentials left out; numbers that JavaScript would round are written exactly by
     * `JSON.stringify`. Null once the retention of payloads has passed.
     */
    readonly payload: unknown;
    /** How many bytes the body has, where they are more than 1,048,576: only its beginning is in `payload`. */
    readonly payloadBytes?: number;
  };
  /** `text` of a wake and `message` of a run are gone once the retention of payloads has passed. */
  readonly actions: readonly Readonly<Record<string, unknown>>[];
  readonly runs: readonly RunDetails[];
  /** What was posted into the main session, a line per run. */
  readonly summary: string | null;
  readonly heartbeat: HeartbeatStatus;
  readonly deliveries: readonly DeliveryDetails[];
  /** Why it was skipped; null: it was not, or by an older release. */
  readonly skipped: string | null;
  readonly warnings: readonly string[];
  /** What a transform wrote with `console`; empty once the retention of payloads has passed. */
  readonly console: readonly string[];
}

/** One run of an agent and what became of it. */
export interface RunDetails {
  readonly id: string;
  readonly status: RunStatus;
  readonly agentId: string;
  /** Short key, e.g. `hook:x`. */
  readonly sessionKey: string;
  readonly model: string | null;
  readonly thinking: string | null;
  readonly prompt: string | null;
  readonly reply: string | null;
  readonly error: string | null;
  /** What it was allowed to do; null before its first attempt has ended. */
  readonly contract: CapabilityContract | null;
  /** Null: the runner does not know. */
  readonly usage: TokenUsage | null;
  /** What could not be done as asked. */
  readonly warnings: readonly string[];
  readonly toolCalls: readonly ToolCallDetails[];
  /** How often it was begun; the notes say what became of an attempt that asked nobody. */
  readonly attempts: number;
  /** Why attempts had to be repeated. */
  readonly notes: readonly EventNote[];
  /** What it waited for, or waits for, the first one first. */
  readonly waits: readonly WaitDetails[];
  /** The run whose message lists its event; null: it is one of its own. */
  readonly joined: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** One run beside the event that asked for it. */
export interface RunStory {
  readonly event: EventSummary;
  /** How the sender of the event was verified, e.g. `token` or `token ci`. */
  readonly verifiedBy: string;
  /** What was asked, as the event's details show it, but for the message: the run's prompt has that. */
  readonly action: Readonly<Record<string, unknown>>;
  readonly run: RunDetails;
  /** The model, provider, gateway or program it waits for, as turns and logs name it; null: none. */
  readonly waitsFor: string | null;
  /** What became of its reply; empty: it goes nowhere, or there is none yet. */
  readonly deliveries: readonly DeliveryDetails[];
}

/** One use of a tool; input and result are null once the retention of payloads has passed. */
export interface ToolCallDetails extends Omit<ToolCall, 'input' | 'result'> {
  readonly input: string | null;
  readonly result: string | null;
}

/** What became of one attempt, with times in ISO 8601. */
export type EventNote = Omit<AttemptNote, 'at' | 'nextAt'> & {
  readonly at: string;
  readonly nextAt?: string;
};

/** One delivery and what became of it. */
export interface DeliveryDetails {
  readonly id: string;
  /** Whose reply it is; null: the hook's own message, which no agent wrote. */
  readonly runId: string | null;
  readonly channel: string;
  /** Null: nobody knew a recipient. */
  readonly to: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: readonly EventNote[];
  /** The platform's own id of the message. */
  readonly messageId: string | null;
  readonly error: string | null;
}

/** What a session remembers. */
export interface SessionDetails {
  /** Full key. */
  readonly key: string;
  readonly agentId: string;
  /** A page of them, oldest first. */
  readonly pendingSystemEvents: readonly { text: string; at: string; trust: Trust }[];
  /** Where the next of them begin; null: no more wait. */
  readonly nextCursor: string | null;
  readonly lastRoute: Route | null;
  /** Whom the session last spoke to, by channel. */
  readonly recipients: Readonly<Partial<Record<ChannelId, string>>>;
  readonly turns: readonly { role: string; text: string; at: string }[];
}

/** One line of the list of sessions. */
export interface SessionSummary {
  /** Full key. */
  readonly key: string;
  readonly agentId: string;
  /** Null: nothing but system events and routes so far. */
  readonly lastTurnAt: string | null;
  /** How many turns its transcript holds. */
  readonly turns: number;
  /** How many wait. */
  readonly pendingSystemEvents: number;
}

export interface SessionFilter {
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

export interface EventFilter {
  readonly hook?: string;
  readonly status?: EventStatus;
  /** Id of the mapping that matched. */
  readonly mapping?: string;
  /** Full key of a session: events with a run in it. Not wakes: their lines are gone once a turn has shown them. */
  readonly session?: string;
  /** Only those that were accepted then or later, epoch milliseconds. */
  readonly since?: number;
  /** Only those that were accepted before, epoch milliseconds. */
  readonly until?: number;
  /**
   * Words and "quoted phrases" that are all in the event, whatever their case and accents; one of three characters at
   * least, all together at most 200.
   */
  readonly search?: string;
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

/** A page of events. */
export interface FoundEvents {
  readonly events: readonly EventSummary[];
  /** Null: there are no more. A search that takes too long ends with a page that is not full, and says where it stopped. */
  readonly nextCursor: string | null;
  /** Of a search that could not look at everything yet: what came from this time on may be missing. ISO 8601; null: nothing is. */
  readonly searchedUntil?: string | null;
}

/**
 * A search that was not made. `invalid`: nothing can be searched for with these words; `off`: the store has no index;
 * `unavailable`: the index cannot be used at the moment. The message says why, as the end of a sentence.
 */
export class SearchRefused extends Error {
  override readonly name = 'SearchRefused';
  readonly why: 'invalid' | 'off' | 'unavailable';

  constructor(why: SearchRefused['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/** Events that were accepted or changed their status. */
export interface EventChanges {
  /** As they are now, the last that changed first; at most 50. */
  readonly events: readonly EventSummary[];
  /** How many others changed; after a break at least so many. */
  readonly more: number;
  /** Where to go on after a break. */
  readonly mark: string;
}

/** What a replay needs of a stored event. */
export interface StoredRequest {
  readonly hook: string;
  readonly request: EventRequest;
  /** JSON text; null once it was pruned. */
  readonly payload: string | null;
}

/** Reads what became of events and sessions, beside the writer and never in its way. */
export abstract class EventStore {
  /** Newest first. @throws SearchRefused */
  abstract list(filter: EventFilter): Promise<FoundEvents>;

  /**
   * What changes from now on, or from a mark on, at most four times a second: a reader that is slower is told of more at a
   * time. The first comes at once, with what was missed since the mark and else empty: whatever is listed after it came
   * is complete together with the later ones. A mark of an earlier process or of more than 10,000 changes ago brings the
   * events that were accepted since, and no changes of older ones.
   * @param signal ends it, also while nothing changes.
   * @throws LedgerUnavailable while it goes on.
   */
  abstract follow(
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EventChanges>>;

  /** Null for an unknown id. */
  abstract get(id: string): Promise<EventDetails | null>;

  /** Everything of one run; null for an unknown id. Sees every step that this process has committed. */
  abstract run(id: string): Promise<RunStory | null>;

  /** Null for an unknown id. */
  abstract storedRequest(id: string): Promise<StoredRequest | null>;

  /** Of each of these hooks, in their order. @param since epoch milliseconds: what was accepted then or later is counted */
  abstract hookUses(hooks: readonly string[], since: number): Promise<readonly HookUse[]>;

  /** In order of their full keys. */
  abstract sessions(
    filter: SessionFilter,
  ): Promise<{ sessions: readonly SessionSummary[]; nextCursor: string | null }>;

  /**
   * Null when nothing was ever written under that full key. The newest 100 turns at most.
   * @param page of the system events that wait.
   */
  abstract session(key: string, page: SessionFilter): Promise<SessionDetails | null>;
}

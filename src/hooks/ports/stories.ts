import type { TokenUsage, ToolCall } from './agent-runner.ts';
import type { CapabilityContract } from './capability-contract.ts';
import type { AttemptNote, DeliveryStatus, RunStatus } from './change.ts';
import type { EventRequest } from './intake.ts';
import type { Route } from './conversations.ts';
import type { Trust } from './trust.ts';

export type EventStatus = 'accepted' | 'running' | 'done' | 'failed' | 'skipped';
export type HeartbeatStatus = 'none' | 'requested' | 'done' | 'failed';

/** Times are ISO 8601 in UTC. */
export interface EventSummary {
  readonly id: string;
  readonly hook: string;
  readonly status: EventStatus;
  readonly receivedAt: string;
  readonly mapping: string | null;
}

/** Everything that became of one event. */
export interface EventStory extends EventSummary {
  readonly request: EventRequest & {
    /** The body as it was parsed; null once `store.payloadDays` have passed. */
    readonly payload: unknown;
  };
  readonly actions: readonly Readonly<Record<string, unknown>>[];
  readonly runs: readonly RunStory[];
  /** What was posted into the main session, a line per run. */
  readonly summary: string | null;
  readonly heartbeat: HeartbeatStatus;
  readonly deliveries: readonly DeliveryStory[];
  readonly error: string | null;
  readonly warnings: readonly string[];
  /** What a transform wrote with `console`; empty once `store.payloadDays` have passed. */
  readonly console: readonly string[];
}

export interface RunStory {
  readonly id: string;
  readonly status: RunStatus;
  readonly agentId: string;
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
  readonly toolCalls: readonly ToolCallStory[];
  /** How often it was taken up; the notes say what became of an attempt that asked nobody. */
  readonly attempts: number;
  /** Why attempts had to be repeated. */
  readonly notes: readonly StoryNote[];
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** One use of a tool; input and result are null once `store.payloadDays` have passed. */
export interface ToolCallStory extends Omit<ToolCall, 'input' | 'result'> {
  readonly input: string | null;
  readonly result: string | null;
}

export type StoryNote = Omit<AttemptNote, 'at'> & { readonly at: string };

export interface DeliveryStory {
  readonly id: string;
  readonly runId: string;
  readonly channel: string;
  readonly to: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: readonly StoryNote[];
  readonly messageId: string | null;
  readonly error: string | null;
}

export interface SessionStory {
  readonly key: string;
  readonly agentId: string;
  readonly pendingSystemEvents: readonly { text: string; at: string; trust: Trust }[];
  readonly lastRoute: Route | null;
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
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

/** What a replay needs of a stored event. */
export interface StoredRequest {
  readonly hook: string;
  readonly request: EventRequest;
  /** JSON text; null once it was pruned. */
  readonly payload: string | null;
}

/** Reading, beside the writer and never in its way. */
export abstract class Stories {
  /** Newest first. */
  abstract list(
    filter: EventFilter,
  ): Promise<{ events: readonly EventSummary[]; nextCursor: string | null }>;

  abstract get(id: string): Promise<EventStory | null>;

  abstract storedRequest(id: string): Promise<StoredRequest | null>;

  /** In order of their full keys. */
  abstract sessions(
    filter: SessionFilter,
  ): Promise<{ sessions: readonly SessionSummary[]; nextCursor: string | null }>;

  /** Null when nothing was ever written under that full key. Up to the newest 100 turns (two messages each) and oldest 200 system events. */
  abstract session(key: string): Promise<SessionStory | null>;
}

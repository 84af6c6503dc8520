import type { BudgetMeter, UsageOf } from './budgets.ts';
import type { CapabilityContract, RunnerSession, TokenUsage, ToolCall } from './agent-runner.ts';
import type { ChannelId } from './channel.ts';
import type { NewWork } from './jobs.ts';
import type { Trust } from './trust.ts';
import type { Decision } from './wait.ts';

/** How a run ended, or stands. */
export type RunStatus =
  | 'queued'
  | 'running'
  /** For a person's decision. */
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'timed-out'
  | 'interrupted'
  /** A person decided that it is not done. */
  | 'denied'
  /** A rule of its mapping said so: why is its error. */
  | 'skipped'
  /** Its event is a line of another run's message. */
  | 'collected';

/**
 * How a delivery ended, or stands. `accepted`: the platform took it, and may still refuse it without our hearing of it.
 * `unknown`: sent, but whether the platform took it is unknown.
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'accepted' | 'skipped' | 'dead' | 'unknown';

/** One effect written to the ledger, as data: those of an accepted event or an ended step become durable together. */
export type Change =
  | SystemEventChange
  | WorkChange
  | RunChange
  | RunUpdate
  | DeliveryChange
  | DeliveryUpdate
  | ConsumeChange
  | HeartbeatFailedChange
  | TurnChange
  | RouteChange
  | BadEndChange
  | ToldChange
  | DecisionChange
  | AskedChange
  | UsageChange;

export interface SystemEventChange {
  readonly type: 'system-event';
  /** Full key of a main session. */
  readonly session: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly trust: Trust;
  /** Name of the hook, shown to the agent inside the markers. */
  readonly hook: string;
  readonly eventId?: string;
  /** The event's heartbeat is `requested` until this line was shown in a turn that succeeded. */
  readonly asksHeartbeat: boolean;
  /** The delivery of what the line tells of: whoever is shown the line is told what became of it. */
  readonly deliveryId?: string;
}

export interface WorkChange {
  readonly type: 'work';
  readonly work: NewWork;
}

export interface RunChange {
  readonly type: 'run';
  readonly id: string;
  readonly eventId: string;
  readonly agentId: string;
  /** Short key as the event's details show it, e.g. `hook:x`. */
  readonly sessionKey: string;
  readonly model?: string;
  readonly thinking?: string;
}

/** Continues the record of a run; absent fields stay. */
export interface RunUpdate {
  readonly type: 'run-update';
  readonly id: string;
  readonly status?: RunStatus;
  readonly model?: string;
  readonly prompt?: string;
  readonly reply?: string;
  /** `null` clears an earlier attempt's error. */
  readonly error?: string | null;
  /** What was posted into the main session. */
  readonly summary?: string;
  readonly contract?: CapabilityContract;
  readonly usage?: TokenUsage;
  readonly warnings?: readonly string[];
  readonly toolCalls?: readonly ToolCall[];
  /** Epoch milliseconds. */
  readonly finishedAt?: number;
  /** One more entry of the run's history, e.g. why an attempt has to be repeated. */
  readonly note?: AttemptNote;
}

/** What became of one attempt, for the history of a run or a delivery. */
export interface AttemptNote {
  /** Epoch milliseconds. */
  readonly at: number;
  /** From 1. */
  readonly attempt: number;
  /** `accepted` and `unknown` as in {@link DeliveryStatus}; `dismissed`: an operator gave it up. */
  readonly outcome:
    'delivered' | 'accepted' | 'retry' | 'failed' | 'interrupted' | 'unknown' | 'dismissed';
  readonly error?: string;
  /** When the next attempt is due, in epoch milliseconds: what is before it, or a channel that rests, may delay it. */
  readonly nextAt?: number;
}

export interface DeliveryChange {
  readonly type: 'delivery';
  readonly id: string;
  readonly eventId: string;
  /** Null: no run's reply, but the message of the hook itself. */
  readonly runId: string | null;
  readonly channel: string;
  readonly to: string | null;
  readonly status: DeliveryStatus;
  /** Why it is `skipped` or `dead` from the start. */
  readonly error?: string;
}

/** Continues the record of a delivery; absent fields stay. */
export interface DeliveryUpdate {
  readonly type: 'delivery-update';
  readonly id: string;
  readonly status?: DeliveryStatus;
  /** The platform's own id of the message. */
  readonly messageId?: string;
  /** `null` clears an earlier attempt's error. */
  readonly error?: string | null;
  readonly attempt?: AttemptNote;
}

/** The turn that showed these system events succeeded: they are gone, and the heartbeats they asked for are done. */
export interface ConsumeChange {
  readonly type: 'consume';
  readonly session: string;
  /** Sequence number of the last one shown. */
  readonly through: number;
  /** Sequence numbers before it that were not shown. */
  readonly except?: readonly number[];
}

/** The heartbeat that showed these system events failed for good: they stay, their events say so. */
export interface HeartbeatFailedChange {
  readonly type: 'heartbeat-failed';
  readonly session: string;
  /** Sequence number of the last one shown. */
  readonly through: number;
  /** Sequence numbers before it that were not shown. */
  readonly except?: readonly number[];
}

export interface TurnChange {
  readonly type: 'turn';
  readonly session: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /**
   * True: it replaces the isolated turn before it, is never part of a conversation, and is not kept where the session
   * has one.
   */
  readonly isIsolated: boolean;
  readonly prompt: string;
  readonly reply: string;
  /** Foreign text was shown in it, or in what the session remembered by then: whoever reads it later reads foreign text. */
  readonly isUntrusted: boolean;
  /** Absent: the session remembers none any more. */
  readonly runnerSession?: RunnerSession;
  /** Ids of the events whose words were shown in it, so that it is forgotten with them. @default none */
  readonly events?: readonly string[];
}

/** Something ended badly and nobody heard of it: to be told by the next notice. */
export interface BadEndChange {
  readonly type: 'bad-end';
  /** What and why, without a word of what was sent or answered; the same words are told once, with their count. */
  readonly line: string;
  readonly eventId: string | null;
  /** How many ended so. @default 1 */
  readonly count?: number;
}

/** A notice about these bad ends is on its way. */
export interface ToldChange {
  readonly type: 'told';
  /** {@link BadEnds.through} */
  readonly through: number;
}

export interface DecisionChange {
  readonly type: 'decision';
  readonly id: string;
  readonly decision: Decision;
}

export interface AskedChange {
  readonly type: 'asked';
  readonly id: string;
  /** The platform's own id of the message. */
  readonly messageId: string;
}

export interface RouteChange {
  readonly type: 'route';
  readonly session: string;
  readonly channel: ChannelId;
  readonly to: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What a turn has used by a budget. */
export interface SettledMeter extends Omit<BudgetMeter, 'amount' | 'countsRuns'> {
  /** Null: nobody knows, and what was reserved stands. */
  readonly amount: number | null;
  readonly countsRuns?: true;
  /** What tells the operator once so much is used that it is nearly full; once in its time. */
  readonly whenNear: readonly Change[];
}

/** A turn has ended: what it used, and what takes the place of what was reserved for it. */
export interface UsageChange {
  readonly type: 'usage';
  readonly workId: number;
  readonly of: UsageOf;
  /** `unknown`: nobody counted it. Absent: the turn used nothing, or its run goes on. */
  readonly usage?: TokenUsage | 'unknown';
  /** In millionths of a dollar. Absent: it is not known, or the model has no price. */
  readonly cost?: number;
  readonly meters: readonly SettledMeter[];
}

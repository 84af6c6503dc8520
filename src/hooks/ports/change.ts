import type { ChannelId } from './channel.ts';
import type { TokenUsage, ToolCall } from './agent-runner.ts';
import type { CapabilityContract } from './capability-contract.ts';
import type { RunnerSession } from './conversations.ts';
import type { Trust } from './trust.ts';
import type { NewWork } from './new-work.ts';

/** How a run ended, or stands. */
export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'timed-out' | 'interrupted';

/** How a delivery ended, or stands. `unknown`: sent, but whether it arrived cannot be told. */
export type DeliveryStatus = 'pending' | 'delivered' | 'skipped' | 'dead' | 'unknown';

/** One effect written to the ledger. A new kind of effect is one variant here and no new method anywhere. */
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
  | RouteChange;

/** Adds a line to a main session, to be shown in its next turn. */
export interface SystemEventChange {
  readonly type: 'system-event';
  /** Full key of a main session. */
  readonly session: string;
  readonly text: string;
  readonly at: number;
  readonly trust: Trust;
  /** Name of the hook, shown to the agent inside the fence. */
  readonly hook: string;
  readonly eventId?: string;
  /** The event's heartbeat is `requested` until this line was shown in a turn that succeeded. */
  readonly asksHeartbeat: boolean;
}

export interface WorkChange {
  readonly type: 'work';
  readonly work: NewWork;
}

/** Begins the story of a run. */
export interface RunChange {
  readonly type: 'run';
  readonly id: string;
  readonly eventId: string;
  readonly agentId: string;
  /** Short key as shown in the story, e.g. `hook:x`. */
  readonly sessionKey: string;
  readonly model?: string;
  readonly thinking?: string;
}

/** Continues the story of a run; absent fields stay. */
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
  /** What the turn may do. */
  readonly contract?: CapabilityContract;
  readonly usage?: TokenUsage;
  readonly warnings?: readonly string[];
  readonly toolCalls?: readonly ToolCall[];
  readonly finishedAt?: number;
  /** One more entry of the run's history, e.g. why an attempt has to be repeated. */
  readonly note?: AttemptNote;
}

export interface AttemptNote {
  readonly at: number;
  readonly attempt: number;
  /** `unknown`: a message was sent, but whether it arrived cannot be told. */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'interrupted' | 'unknown';
  readonly error?: string;
}

/** Begins the story of a delivery. */
export interface DeliveryChange {
  readonly type: 'delivery';
  readonly id: string;
  readonly eventId: string;
  readonly runId: string;
  readonly channel: string;
  readonly to: string | null;
  readonly status: DeliveryStatus;
  /** Why it is `skipped` or `dead` from the start. */
  readonly error?: string;
}

export interface DeliveryUpdate {
  readonly type: 'delivery-update';
  readonly id: string;
  readonly status?: DeliveryStatus;
  readonly messageId?: string;
  readonly error?: string | null;
  readonly attempt?: AttemptNote;
}

/** The turn that showed these system events succeeded: they are gone, and the heartbeats they asked for are done. */
export interface ConsumeChange {
  readonly type: 'consume';
  readonly session: string;
  /** Sequence number of the last one shown. */
  readonly through: number;
}

/** The heartbeat that showed these system events failed for good: they stay, their events say so. */
export interface HeartbeatFailedChange {
  readonly type: 'heartbeat-failed';
  readonly session: string;
  readonly through: number;
}

/** Adds a turn to a session's transcript. */
export interface TurnChange {
  readonly type: 'turn';
  readonly session: string;
  readonly at: number;
  /** True: the session begins anew with this turn. */
  readonly replace: boolean;
  readonly prompt: string;
  readonly reply: string;
  /** Foreign text was shown in it, or in what the session remembered by then: whoever reads it later reads foreign text. */
  readonly isUntrusted: boolean;
  /** Absent: the session remembers none any more. */
  readonly runnerSession?: RunnerSession;
}

/** Remembers where a main session last spoke. */
export interface RouteChange {
  readonly type: 'route';
  readonly session: string;
  readonly channel: ChannelId;
  readonly to: string;
  readonly at: number;
}

import type { DeliverOrder, EventRequest, ThinkingLevel, Trust } from '../ports/index.ts';

/** A request that was understood and allowed: what accept takes in. Every decision (who, what, whether) is in it. */
export interface HookEvent {
  /** Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  readonly mapping?: string;
  readonly request: EventRequest;
  readonly payloadText: string;
  readonly receivedAt: number;
  readonly actions: readonly HookAction[];
  /** Key that the sender gave for the whole request. */
  readonly idempotencyKey?: string;
  /** Fields that nobody reads, and what else the sender should know. */
  readonly warnings: readonly string[];
  /** Set when the mapping broke: kept as a failed event, for the operator. */
  readonly failure?: string;
  /** What the mapping's transform wrote with `console`. */
  readonly console?: readonly string[];
}

export type HookAction = WakeAction | AgentAction;

/** A line for an agent's main session. */
export interface WakeAction {
  readonly kind: 'wake';
  readonly text: string;
  readonly mode: 'now' | 'next-heartbeat';
  /** The agent whose main session hears it. */
  readonly agentId: string;
  readonly trust: Trust;
  readonly dedupeKey?: string;
}

/** One isolated run of an agent. */
export interface AgentAction {
  readonly kind: 'agent';
  readonly message: string;
  readonly name: string;
  readonly instructions?: string;
  /** Shown inside the fence. */
  readonly source: string;
  /** The agent that runs it. */
  readonly agentId: string;
  /** The agent that was asked for, when it is unknown and the default agent runs instead. */
  readonly unknownAgentId?: string;
  /** Short key, as the story shows it. */
  readonly sessionKey: string;
  readonly sessionMode: 'isolated' | 'persistent';
  readonly wakeMode: 'now' | 'next-heartbeat';
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly timeoutSeconds: number;
  /** Null: the reply stays in the story. */
  readonly deliver: DeliverOrder | null;
  readonly trust: Trust;
  readonly dedupeKey?: string;
}

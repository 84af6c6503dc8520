import type { ChannelId } from './channel.ts';
import type { ThinkingLevel } from './thinking.ts';
import type { Trust } from './trust.ts';

/** What a piece of work has to do, by kind of work. */
export type WorkOrder = RunOrder | HeartbeatOrder | MessageOrder;

/** What a run has to do: an agent action, fully decided. Lives in the ledger until the run has ended. */
export interface RunOrder {
  readonly v: 1;
  readonly eventId: string;
  /** Hook name as shown inside the fence. */
  readonly hook: string;
  /** Human-readable name, prefix of the summary. */
  readonly name: string;
  readonly message: string;
  /** Operator's own words, outside the fence. */
  readonly instructions?: string;
  /** The payload's own `source`, or the hook name; shown inside the fence. */
  readonly source: string;
  readonly agentId: string;
  /** Full session key. */
  readonly session: string;
  readonly sessionMode: 'isolated' | 'persistent';
  readonly wakeMode: 'now' | 'next-heartbeat';
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly timeoutSeconds: number;
  readonly trust: Trust;
  readonly receivedAt: number;
  readonly deliver: DeliverOrder | null;
}

/** Where a reply should go, as the request or the mapping said it. */
export interface DeliverOrder {
  readonly channel: ChannelId | 'last';
  readonly to?: string;
  /** `content`: a template or transform made `to` from the payload; it never becomes the last route. */
  readonly toFrom: 'named' | 'content';
  /** True: links and images of the reply are shown as such, though the run was shown foreign text. */
  readonly allowLinks?: boolean;
}

/** A turn of an agent on its main session. */
export interface HeartbeatOrder {
  readonly v: 1;
  readonly agentId: string;
  /** False: somebody asked for it. Active hours and `every` limit periodic ones only. */
  readonly isPeriodic: boolean;
}

/** One reply to one recipient. */
export interface MessageOrder {
  readonly v: 1;
  readonly deliveryId: string;
  readonly eventId: string | null;
  readonly channel: ChannelId;
  /** Null: nobody knew a recipient; the delivery fails and says so. */
  readonly to: string | null;
  /** Markdown, as the agent wrote it; empty once it was cut into parts, which the lease brings. */
  readonly text: string;
  /** True: links and images are shown as such, whatever {@link trust} says. */
  readonly allowLinks?: boolean;
  /** The run whose reply it is; null: a heartbeat's. */
  readonly runId: string | null;
  /** The agent that spoke. */
  readonly agentId: string;
  /** A successful delivery becomes the last route of the agent's main session. */
  readonly becomesLastRoute: boolean;
  /** Hook name, for the system event when the delivery ends badly. */
  readonly name: string;
  /** `hooks.summary: unless-delivered`: what to post when the delivery was not made. */
  readonly summaryIfUndelivered?: string;
  readonly wakeMode: 'now' | 'next-heartbeat' | 'none';
  readonly trust: Trust;
}

/** The name of a hook that gives none. */
export const DEFAULT_HOOK_NAME = 'Hook';

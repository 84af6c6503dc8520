import type {
  ApproveOption,
  ChannelId,
  DeliveryTarget,
  MessageAddress,
  RuleScope,
  RunJob,
  Trust,
} from '../ports/index.ts';
import type { NamedKey } from './session-policy.ts';

export type HookAction = WakeAction | AgentAction | DeliverAction | HandlerAction;

export interface WakeAction {
  readonly kind: 'wake';
  readonly text: string;
  readonly mode: 'now' | 'next-heartbeat';
  readonly agentId: string;
  readonly trust: Trust;
  readonly dedupeKey?: string;
}

/** Job of one isolated run. A field that the run needs is declared once, in {@link RunJob}. */
export interface AgentAction extends Omit<
  RunJob,
  'v' | 'eventId' | 'hook' | 'session' | 'receivedAt'
> {
  readonly kind: 'agent';
  readonly sessionKey: string;
  /** Nobody named the session and nothing is remembered there: the run waits for no other. */
  readonly isAlone: boolean;
  /** True: whoever made it may ask for its reply. Only where {@link isAlone} holds. */
  readonly exposeReply?: boolean;
  /** What becomes of it where its session has a run already. @default it waits */
  readonly whenBusy?: 'skip' | 'replace';
  /** Whose runs that looks at. @default 'sender' */
  readonly busyScope?: RuleScope;
  /** Where its channel shows that the event was heard. Absent: none does. */
  readonly acknowledged?: MessageAddress;
  /** The agent that was asked for, when it is unknown and the default agent runs instead. */
  readonly unknownAgentId?: string;
  readonly dedupeKey?: string;
}

export interface DeliverAction {
  readonly kind: 'deliver';
  /** Markdown; of foreign text without what hides in it. */
  readonly message: string;
  readonly name: string;
  readonly deliver: DeliveryTarget;
  /** Where that is. Null: no channel was named and none is configured. */
  readonly address: MessageAddress | null;
  /** The default agent's, whose main session says where `last` is. */
  readonly agentId: string;
  readonly trust: Trust;
  readonly dedupeKey?: string;
}

/** A method of the host's decides what becomes of it, once it is accepted (`@OnHook`). */
export interface HandlerAction {
  readonly kind: 'handler';
  /** Id of the mapping. */
  readonly hook: string;
  /** Class and method, e.g. `OrdersHandler.onPush`. */
  readonly handler: string;
  readonly trust: Trust;
  readonly dedupeKey?: string;
}

interface Requested {
  readonly trust: Trust;
  readonly warnings?: readonly string[];
}

export interface RequestedWake extends Requested, Partial<Omit<WakeAction, 'kind' | 'trust'>> {
  readonly text: string;
}

export interface RequestedMessage extends Requested {
  readonly message: string;
  readonly name?: string;
  readonly channel?: ChannelId | 'last';
  readonly to?: string;
  readonly allowLinks?: boolean;
  readonly isUrgent?: boolean;
  readonly dedupeKey?: string;
}

export interface RequestedRun
  extends
    Requested,
    Partial<
      Omit<
        AgentAction,
        | 'kind'
        | 'trust'
        | 'sessionKey'
        | 'isAlone'
        | 'deliver'
        | 'acknowledged'
        | 'thinking'
        | 'approve'
      >
    > {
  readonly message: string;
  /** The payload's own `source`, or the hook's name. */
  readonly source: string;
  readonly sessionKey?: NamedKey;
  readonly thinking?: string;
  /** @default true */
  readonly deliver?: boolean;
  readonly channel?: ChannelId | 'last';
  readonly to?: string;
  /** Who named `to`. @default 'request' */
  readonly toFrom?: DeliveryTarget['toFrom'];
  readonly provider?: string;
  /** What a person decides about it. @default what its agent says, and about the reply where {@link isOpen} */
  readonly approve?: ApproveOption;
  /** Strangers can open the place where its reply goes. */
  readonly isOpen?: boolean;
  /** True: links in the reply stay links, though the run was shown foreign text. */
  readonly allowLinks?: boolean;
  readonly isUrgent?: boolean;
}

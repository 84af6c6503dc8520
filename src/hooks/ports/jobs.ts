import type { ThinkingLevel } from './agent-directory.ts';
import type { ToolQuestion } from './agent-runner.ts';
import type { ChannelId } from './channel.ts';
import type { CollectedEvent, Collecting } from './collecting.ts';
import type { RuleScope, Trust } from './trust.ts';
import type { AwaitedEvent, WhenOver, WhileWaiting } from './wait.ts';

const MAIN = 'main';

/** Full key of an agent's main session, the one that system events and heartbeats belong to: `agent:<id>:main`. */
export function mainSession(agentId: string): string {
  return `agent:${agentId}:${MAIN}`;
}

/** The agent whose main session it is. @param session {@link mainSession} */
export function agentOf(session: string): string {
  return session.slice('agent:'.length, -`:${MAIN}`.length);
}

/** Full key of a short one, `agent:<id>:<key>`; `main` in any case is the main session. */
export function fullSessionKey(agentId: string, shortKey: string): string {
  return `agent:${agentId}:${shortKey.toLowerCase() === MAIN ? MAIN : shortKey}`;
}

/** What a full session key is made of: an agent's id and the short key. @param session {@link fullSessionKey} */
export function agentAndShortKey(session: string): [agentId: string, shortKey: string] {
  const [, agentId = '', shortKey = session] = /^agent:([^:]*):(.*)$/s.exec(session) ?? [];
  return [agentId, shortKey];
}

/** Turns queue by session, deliveries by channel and recipient: a slow platform holds up no agent. */
export type Lane = 'turn' | 'delivery';

export interface NewWork {
  readonly lane: Lane;
  /** Work of one key is done in the order it was accepted, one at a time; different keys side by side. */
  readonly key: string;
  readonly kind: 'run' | 'heartbeat' | 'delivery' | 'notice';
  /** Whose it is, for turns to be shared: id of the mapping or name of the built-in hook. @default nobody's */
  readonly hook?: string;
  /** How the sender was verified; within a hook, senders come round likewise. @default nobody's */
  readonly sender?: string;
  readonly ref?: string;
  readonly eventId?: string;
  /** Epoch milliseconds before which a heartbeat or a notice is not begun; until then it does not hold its key. */
  readonly dueAt: number;
  /**
   * At most one of this kind and key waits: where one was never begun and is due later, this one's `dueAt` and `job`
   * replace its own, else this one is dropped.
   */
  readonly once?: boolean;
  /** Of a run whose session has one already: there is no run, or it takes the place of those that have not acted. @default it waits */
  readonly whenBusy?: 'skip' | 'replace';
  /** Whose runs that looks at. @default 'sender' */
  readonly busyScope?: RuleScope;
  /** With so many of a key, the first is due, though it waits to gather them ({@link Collecting.most}). */
  readonly most?: number;
  readonly job: Job;
}

/** What a step needs to do its work, by kind. It outlives a release, so each carries a version `v`. */
export type Job = RunJob | HeartbeatJob | DeliveryJob | HandlerJob | NoticeJob;

export interface RunJob {
  readonly v: 1;
  readonly eventId: string;
  /** Hook name as shown inside the markers. */
  readonly hook: string;
  /** Human-readable name, prefix of the summary. */
  readonly name: string;
  readonly message: string;
  /** Task of the mapping, its preset or `agents.defaults.task`. Absent: the built-in one; empty: none. */
  readonly task?: string;
  /** Operator's own words, below the task and outside the markers. */
  readonly instructions?: string;
  /** The payload's own `source`, or the hook name; shown inside the markers. */
  readonly source: string;
  readonly agentId: string;
  /** Full session key. */
  readonly session: string;
  readonly sessionMode: 'isolated' | 'persistent';
  /** When the summary in the main session is looked at. */
  readonly wakeMode: 'now' | 'next-heartbeat';
  readonly model?: string;
  /** Nobody named {@link model}: it was the agent's when the run was accepted, and is the agent's of the time when it begins. */
  readonly isAgentsModel?: boolean;
  readonly thinking?: ThinkingLevel;
  /** Longest turn, over 0 and at most 86,400. */
  readonly timeoutSeconds: number;
  readonly trust: Trust;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** Null: the reply goes nowhere. */
  readonly deliver: DeliveryTarget | null;
  /** What a person decides. Absent: nothing. */
  readonly approve?: Approval;
  /** How many runs led to its event, each by its reply to the one before (`ROUND_HEADER`). Absent: none. */
  readonly round?: number;
  /** Why it was held as a round of a loop, in our own words: a person decides whether it begins. Absent: it was not. */
  readonly loop?: string;
  /** Its turn asked about tool calls, or waits for an event (without calls), and goes on from here. Absent: it begins. */
  readonly paused?: Paused;
  /** The event that it waits for, or may wait for. Absent: none. */
  readonly waitFor?: AwaitedEvent;
  /** With {@link collect}: once they are, it waits for no other run, since its session is its own. */
  readonly isAlone?: boolean;
  /** The events of its key are gathered into one run before it begins. Absent: it begins. */
  readonly collect?: Collecting;
  /** The events that {@link message} lists, its own among them. Absent: it is of one. */
  readonly collected?: readonly CollectedEvent[];
  /** It resumes the runs that wait for this key, and begins itself only where `orElse` says so and none does. */
  readonly resumes?: {
    readonly key: string;
    readonly orElse: 'ignore' | 'run';
    /** The run that it tells of, where its agent says it. */
    readonly runId?: string;
  };
  /** What it continues: `traceparent` of its acceptance, or else of its sender. */
  readonly trace?: string;
}

/** The queue of a run: that of its session. @param alone its id, where nothing is remembered there and it waits for no other */
export function runQueue(session: string, alone: string | null): string {
  return alone === null ? session : `${session} ${alone}`;
}

export interface Paused extends ToolQuestion {
  readonly attempt?: number;
  /** Of a wait for an event: epoch milliseconds at which the turn goes on without. */
  readonly until?: number;
}

/** What a person decides about a run, and what becomes of it meanwhile. */
export interface Approval {
  readonly run?: true;
  /** Which tool calls it may make, by name; only when the agent was shown foreign text, where that is said. */
  readonly tools?: { readonly names: readonly string[]; readonly when: true | 'when-untrusted' };
  /** Whether its reply may be delivered; `when-untrusted`: only when the agent was shown foreign text. */
  readonly reply?: true | 'when-untrusted';
  /** How long there is to decide, in milliseconds. */
  readonly withinMs: number;
  readonly whenOver: WhenOver;
  readonly whileWaiting: WhileWaiting;
  readonly approvers?: readonly string[];
}

export interface DeliveryTarget {
  readonly channel: ChannelId | 'last';
  /** The reply goes to where the event came from, by the first channel of this provider, or by {@link channel} where one is named. */
  readonly provider?: string;
  readonly to?: string;
  /**
   * Who named channel or recipient; `content`: a template or transform. Absent: nobody. Only what the mapping or
   * configuration says becomes the last route.
   */
  readonly toFrom?: 'mapping' | 'request' | 'content';
  /** True: links and images of the reply are shown as such, though the run was shown foreign text. */
  readonly allowLinks?: boolean;
  /** It is sent in quiet hours, too. */
  readonly isUrgent?: boolean;
}

export interface HeartbeatJob {
  readonly v: 1;
  readonly agentId: string;
  /** False: somebody asked for it. Active hours and `every` limit periodic ones only. */
  readonly isPeriodic: boolean;
}

/** One message to the operator about everything that ended badly until then; or what people tap in a channel is heard. */
export interface NoticeJob {
  readonly v: 1;
  /** The channel whose taps are waited for. */
  readonly taps?: ChannelId;
}

export interface DeliveryJob {
  readonly v: 1;
  readonly deliveryId: string;
  readonly eventId: string | null;
  readonly channel: ChannelId;
  /** Null: nobody knew a recipient; the delivery fails and says so. */
  readonly to: string | null;
  /** Markdown, as the agent or a template wrote it; empty once it was cut into parts, which the lease brings. */
  readonly text: string;
  /** A message of its own behind it, in our own words: a link is shown there whatever {@link trust} says. */
  readonly closing?: string;
  /** True: links and images are shown as such, whatever {@link trust} says. */
  readonly allowLinks?: boolean;
  /** The run whose reply it is; null: a heartbeat's, a notice, or {@link isDirect}. */
  readonly runId: string | null;
  /** Its place in a row of runs, or messages of hooks, that led to one another, from 1. Absent: it is in none. */
  readonly round?: number;
  /** The agent that spoke, or the default one where none did. */
  readonly agentId: string;
  /** A successful delivery becomes the last route of the agent's main session. */
  readonly becomesLastRoute: boolean;
  /** Hook name, for the system event when the delivery ends badly. */
  readonly name: string;
  /** True: it tells the operator what ended badly; nothing tells of its own end. */
  readonly isNotice?: boolean;
  /** It puts the question of a wait, which is not put any more once that has ended. `code`: what its buttons carry. */
  readonly asks?: { readonly wait: string; readonly code?: string };
  /** The wait that has ended: its question's message is shown anew, with how it ended and without buttons. */
  readonly settles?: string;
  /** It has no text: the channel shows that the event was heard. */
  readonly acknowledges?: true;
  /** As earlier builds queued it: what only `says` how a run stands is not sent. */
  readonly note?: { readonly says?: string };
  /** The message of a question whose event was erased: it is shown anew, with nothing of what it showed. */
  readonly forgets?: string;
  /** It is sent in quiet hours, too. */
  readonly isUrgent?: boolean;
  /** `hooks.summary: unless-delivered`: what to post when the delivery was not made. */
  readonly summaryIfUndelivered?: string;
  /** Whether its end asks for a heartbeat. */
  readonly wakeMode: 'now' | 'next-heartbeat' | 'none';
  readonly trust: Trust;
  /** What it continues: `traceparent` of the turn that it is the reply of. */
  readonly trace?: string;
}

/** The channel of what is delivered to a method of the host's, in place of a channel's id. */
export const HANDLER = 'handler';

/** An event for the handler of its hook (`@OnHook`): queued, tried again and given up as a delivery. */
export interface HandlerJob {
  readonly v: 1;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly channel: typeof HANDLER;
  /** Id of the mapping, which is that of the handler. */
  readonly hook: string;
  /** Name under the prefix, as in {@link RunJob.hook}. */
  readonly path: string;
  /** Class and method as they were when it was accepted: `OrdersHandler.onPush`. */
  readonly to: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly trust: Trust;
  readonly trace?: string;
}

/** Events of one handler go on side by side. */
export function handlerWork(job: HandlerJob): NewWork {
  const { hook, eventId, deliveryId, trust, receivedAt } = job;
  return {
    lane: 'delivery',
    key: `${handlerPlace(hook)} ${eventId}`,
    kind: 'delivery',
    ref: deliveryId,
    eventId,
    hook,
    sender: trust.verifiedBy,
    dueAt: receivedAt,
    job,
  };
}

/** What claims are limited by, as by a channel: `handler:orders`. One word, as the first of a key. */
export function handlerPlace(hook: string): string {
  return `${HANDLER}:${hook.replaceAll(' ', '%20')}`;
}

/** Whether it is the message of a hook itself (`action: 'deliver'`): no agent spoke, and none is told of its end. */
export function isDirect({ runId, eventId }: DeliveryJob): boolean {
  return runId === null && eventId !== null;
}

/**
 * One account's deliveries to one recipient are one line, by whatever channel.
 * @param account the first channel of the account
 */
export function deliveryWork(job: DeliveryJob, account: ChannelId, dueAt: number): NewWork {
  return {
    lane: 'delivery',
    key: `${account} ${job.to ?? ''}`,
    kind: 'delivery',
    ref: job.deliveryId,
    ...(job.eventId !== null && { eventId: job.eventId }),
    // Whose message it is: the hook's, or that of a heartbeat or notice, which nobody sent.
    hook: job.eventId === null ? '' : (job.trust.mapping ?? 'agent'),
    sender: job.trust.verifiedBy,
    dueAt,
    job,
  };
}

export const DEFAULT_HOOK_NAME = 'Hook';

/** Immediate heartbeats asked for within this time are one. */
export const HEARTBEAT_COALESCE_MS = 250;

/** How long the heartbeat of a run waits for the end of its delivery, so that it need not tell what was told. */
export const DELIVERY_WAIT_MS = 30_000;

/**
 * Many heartbeats that ask within {@link HEARTBEAT_COALESCE_MS} get one.
 * @param dueAt epoch milliseconds.
 * @default that time from now
 */
export function immediateHeartbeat(
  agentId: string,
  now: number,
  dueAt = now + HEARTBEAT_COALESCE_MS,
): NewWork {
  return heartbeat(agentId, dueAt, false);
}

/** @param dueAt epoch milliseconds. */
export function periodicHeartbeat(agentId: string, dueAt: number): NewWork {
  return heartbeat(agentId, dueAt, true);
}

function heartbeat(agentId: string, dueAt: number, isPeriodic: boolean): NewWork {
  return {
    lane: 'turn',
    key: mainSession(agentId),
    kind: 'heartbeat',
    dueAt,
    once: true,
    job: { v: 1, agentId, isPeriodic },
  };
}

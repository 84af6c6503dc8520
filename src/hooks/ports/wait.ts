import { createHash } from 'node:crypto';
import type { ChannelId } from './channel.ts';
import type { Trust } from './trust.ts';

/**
 * What a person is asked about a run. `run`: whether it may begin, of which nobody knows yet what its agent will do.
 * `tools`: whether these tool calls are made. `reply`: whether this reply goes to this recipient.
 */
export type QuestionKind = 'run' | 'tools' | 'reply';

/** What a run waits for: a person's decision, or another event. */
export type WaitKind = QuestionKind | 'event';

/** What becomes of a run that nobody decided in time: denied, or given up, so that an operator can have it asked anew. */
export type WhenOver = 'deny' | 'expire';

/** Whether a session's later work goes on while a run of it waits. */
export type WhileWaiting = 'continue' | 'hold';

/** `when-untrusted`: only when the agent is shown foreign text. */
export type AskWhen = boolean | 'when-untrusted';

/** What a person decides about runs before it happens, and what becomes of them meanwhile. */
export interface ApproveSettings {
  /** Whether a run may begin. @default false */
  readonly run?: AskWhen;
  /** Whether it may call tools: each of them, or those of these names, in which `*` stands for anything. @default false */
  readonly tools?: AskWhen | readonly string[];
  /** Whether its reply may be delivered. @default false */
  readonly reply?: AskWhen;
  /** How long there is to decide, at most 2160h (90 days). @default '24h' */
  readonly until?: string;
  /** What happens after that: the run is denied, or given up as dead, so that it can be asked anew. @default 'deny' */
  readonly then?: WhenOver;
  /** Whether later work of the session goes on. Default: `continue` for isolated runs, else `hold`. */
  readonly whileWaiting?: WhileWaiting;
  /**
   * People by their ids on a platform, such as `telegram:12345`, who alone may tap then; `configure`: operators with
   * that role only. Default: whoever is asked privately, and role `operate`.
   */
  readonly approvers?: readonly string[];
}

/** `approve` of a mapping, an agent or all agents: one thing that is asked, several with their settings, or nothing. */
export type ApproveOption = 'run' | 'tools' | 'reply' | ApproveSettings | false;

/** A recipient that a person is asked about. */
export interface WaitRecipient {
  readonly channel: string;
  /** Null: nobody knew one. */
  readonly to: string | null;
}

/** A tool call that an agent wants to make. */
export interface AskedCall {
  /** `<server>_<tool>`, or as a program calls its own. */
  readonly tool: string;
  /** Its whole input as JSON text. */
  readonly input: string;
}

/** `waitFor` of a mapping or an agent: the event that its runs wait for. */
export interface WaitForOption {
  /**
   * Key that the other event gives with `resume`. With it a run begins once that event has come; without, its agent
   * says while it runs what it waits for.
   */
  readonly key?: string;
  /** Ids of the mappings whose events may resume it. */
  readonly by: readonly string[];
  /** How the senders of these events have to be verified, such as `token ci`. Absent: any sender of theirs. */
  readonly senders?: readonly string[];
  /** How long at most, 1m to 2160h (90 days). @default '24h' */
  readonly until?: string;
  /** What happens after that to a run that has not begun: it is denied, or given up as dead, so that it can be retried. @default 'deny' */
  readonly then?: WhenOver;
}

export interface WaitResumers {
  /** Ids of mappings, or {@link NO_MAPPING}. */
  readonly by: readonly string[];
  /** How their senders are verified. Absent: whoever they let in. */
  readonly senders?: readonly string[];
}

export interface AwaitedEvent extends WaitResumers {
  /** Absent: its agent says. */
  readonly key?: string;
  /** In milliseconds. */
  readonly withinMs: number;
  readonly whenOver: WhenOver;
}

/** The event that resumed a run. */
export interface ResumingEvent {
  readonly eventId: string;
  /** What its mapping made of it, whole; empty once it was forgotten. Hostile, unless its trust says otherwise. */
  readonly message: string;
  readonly source: string;
  /** Name of its hook. */
  readonly hook: string;
  readonly trust: Trust;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}

/** What a run waits for from the commit of its step on: a row, and nothing that costs anything while it waits. */
export interface NewWait {
  readonly id: string;
  readonly kind: WaitKind;
  /**
   * By what open ones are found: mapping (or hook) and sender where a person is asked, else {@link eventOwner} or
   * {@link earlyOwner}.
   */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly openedAt: number;
  /** Epoch milliseconds at which {@link whenOver} happens. */
  readonly until: number;
  readonly whenOver: WhenOver;
  /** Where a reply would go. */
  readonly recipient?: WaitRecipient;
  /** Tool calls that would be made. */
  readonly calls?: readonly AskedCall[];
  /** SHA-256 of what is asked about: nothing else is done than what was shown; empty where nobody is asked. */
  readonly digest: string;
  /** Who may resume it; absent: nobody but a person or time. */
  readonly resumers?: WaitResumers;
  readonly question?: string;
  readonly approvers?: readonly string[];
  /** Where its question goes; absent: nobody is asked. */
  readonly asked?: AskedAt;
  /** SHA-256 of what the question's buttons carry; absent: it has none. */
  readonly code?: string;
}

export interface AskedAt {
  readonly channel: ChannelId;
  readonly to: string;
}

/** By what the open waits for an event are found. @param key as the event gives it; a long one is known by its digest */
export function eventOwner(key: string): string {
  return `event ${key.length <= LONGEST_KEY ? key : sha256(key)}`;
}

/** By what an event is found that came before any run waited for its key. @param key as of {@link eventOwner} */
export function earlyOwner(key: string): string {
  return `early ${eventOwner(key)}`;
}

const LONGEST_KEY = 256;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** As what `POST {hooks.path}/runs/<runId>` is verified. */
export const CALLBACK = 'callback';

/** What a wait names in place of a mapping that a callback of its run resumes: no mapping takes those. */
export const NO_MAPPING = '';

/** What every token of a run begins with, by which a callback is told from what a mapping takes. */
export const CALLBACK_TOKEN = 'hookrun_';

/** The key of a wait that the bearer of this token resumes. */
export function callbackKey(token: string): string {
  return `${CALLBACK} ${sha256(token)}`;
}

/** How a wait ended; `expired`: nobody decided in time, or (`reason`) before a newer run took its place; `resumed`: by the event that it waited for. */
export interface Decision {
  readonly verdict: 'approved' | 'denied' | 'expired' | 'resumed';
  /** The name of who decided, such as `operator anna`; nobody where time did. */
  readonly by?: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Why, in the words of who decided. */
  readonly reason?: string;
  /** Of a reply: what is sent in its place. */
  readonly text?: string;
  /** What resumed it. */
  readonly event?: ResumingEvent;
}

export interface Resumption {
  readonly key: string;
  readonly event: ResumingEvent;
  /** The run that it is done by: its record says what became of it in the same commit. */
  readonly runId: string;
}

export interface ResumeOutcome {
  /** Runs that go on now, at most 200. */
  readonly runs: readonly string[];
  /** More runs wait for it: the event goes on with them. */
  readonly hasMore: boolean;
  /** A run waits for the key, and not for this mapping or sender. */
  readonly isRefused: boolean;
  /** A run that has not ended will wait for the key, or has waited for it and may again. */
  readonly isAwaited: boolean;
}

/** A wait as an operator reads it. All times are ISO 8601 in UTC. */
export interface WaitDetails {
  readonly id: string;
  readonly kind: WaitKind;
  readonly openedAt: string;
  readonly until: string;
  readonly whenOver: WhenOver;
  /** Where a reply would go; null: it is about no reply. */
  readonly recipient: WaitRecipient | null;
  /** Tool calls that would be made; empty: it is about none, or they were forgotten. */
  readonly calls: readonly AskedCall[];
  /** What the event has to say that it waits for; null: it waits for a person. */
  readonly key: string | null;
  /** What it waits for, in the words of its agent; null: it said nothing. */
  readonly question: string | null;
  /** Null: nobody has decided yet. */
  readonly decision: WaitDecision | null;
}

/** How a wait ended, likewise. */
export interface WaitDecision {
  readonly verdict: Decision['verdict'];
  /** Null: time decided. */
  readonly by: string | null;
  readonly at: string;
  readonly reason: string | null;
  /** What was sent in place of the reply; null: the reply itself, or it was forgotten. */
  readonly text: string | null;
  /** What resumed it; null: no event did. */
  readonly event: ResumingEvent | null;
}

/** A run that waits for a person, beside what it is of. */
export interface WaitingRun extends Omit<WaitDetails, 'kind' | 'key' | 'question'> {
  readonly kind: QuestionKind;
  readonly eventId: string;
  readonly runId: string;
  readonly agentId: string;
  /** Name under the prefix. */
  readonly hook: string;
  /** Id of the mapping that made it; null: `agent` did. */
  readonly mapping: string | null;
  /** What it is about, whole: the message that would begin the run, the tool calls, or the reply. Hostile in any case. */
  readonly text: string;
  /**
   * What its agent was asked: the first lines, at most 600 characters, between the markers of untrusted text, and above
   * them a line where that is not all. Null: `text` is it. A ledger itself gives all of it, as it came.
   */
  readonly request: string | null;
}

/** A page of what waits for a person, the oldest first. */
export interface WaitPage {
  readonly waits: readonly WaitingRun[];
  /** How many there are on all pages. */
  readonly total: number;
  /** Null: there are no more. */
  readonly nextCursor: string | null;
}

export interface WaitFilter {
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

export function showCalls(calls: readonly AskedCall[]): string {
  return calls.map(({ tool, input }) => `${tool} ${input}`).join('\n');
}

/** `unknown`: nobody asks this; `no-reply`: it has words of a reply, and is about none; `over`: its time is. */
export type DecisionOutcome = 'decided' | 'unknown' | 'no-reply' | 'decided-before' | 'over';

export abstract class TapDoor {
  /**
   * Decides by the taps of a verified body; durable when it resolves.
   * @param scheme that verified it
   * @returns the platform's answer; null: it holds something else
   */
  abstract knock(scheme: string, body: unknown): Promise<object | null> | null;
}

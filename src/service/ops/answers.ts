// What the operator API answers, shape by shape; the command line reads these types. Times are ISO 8601 in UTC.
import type {
  ChannelReport,
  EventSummary,
  HookUse,
  LostRequests,
  RefusedRequest,
  SecretWindow,
  SessionSummary,
} from '../../hooks/index.ts';
import type { MailStatus } from './ops-options.ts';

/** Done; there is nothing else to say. */
export interface Done {
  readonly ok: true;
}

/** How requests to one hook prove who sends them; with neither a scheme nor a token nobody can. */
export interface HookVerification {
  /** Signatures of this scheme; null: none is asked for. */
  readonly scheme: string | null;
  /** Who signs so, as people call it. */
  readonly signer: string | null;
  /** The tokens that open it now, as stories name them: `token` is `hooks.token`, `token ci` one of `hooks.tokens`. */
  readonly tokens: readonly string[];
  /** One more header in which the token may come. */
  readonly tokenHeader: string | null;
  /**
   * How a request can be sent in the name of its sender with what the configuration holds: `signed`, `secret` where the
   * sender shows its secret as it is, `token`; null: it cannot, since only the sender can sign or digests are kept alone.
   */
  readonly sendable: 'signed' | 'secret' | 'token' | null;
  /** The header in which the sender shows its secret as it is, `authorization` for user and password; null: in none. */
  readonly secretHeader: string | null;
}

/** A request that was signed, to be sent by somebody else. */
export interface SignedRequest {
  /** Where to; null: nobody said where the hooks are reached, and the sender signs no address. */
  readonly url: string | null;
  /** Below the prefix, with its query. */
  readonly path: string;
  /** Those that prove the sender among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Who signs so, as people call it. */
  readonly signer: string;
  /** Names of the headers that sign; none where the signature stands in the body or in the address. */
  readonly signedBy: readonly string[];
  /** How long it is taken; null: as long as the secret counts, once. */
  readonly validSeconds: number | null;
}

/** One way in. */
export interface HookReport {
  /** `wake`, `agent`, or a sub-path; null: every name that nothing else takes. */
  readonly name: string | null;
  /** As a request has it: `/hooks/github`; null for every name. */
  readonly path: string | null;
  /** The address to enter at the sender; null: `hooks.publicUrl` is not set, and the service does not know its own. */
  readonly url: string | null;
  /** Ids of its mappings, in the order they are tried; none of the built-in hooks. */
  readonly mappings: readonly string[];
  /** Class and method of the host's code that decide about its events (`@OnHook`); null: its mappings do. */
  readonly handler: string | null;
  /** The preset whose path it is; null: none. */
  readonly preset: string | null;
  /** What the sender of that preset is called. */
  readonly sender: string | null;
  readonly verification: HookVerification;
  /** When its last event that is still kept was accepted; null: none is. */
  readonly lastUsedAt: string | null;
  /** Events since `since`, at most 100,000; null for every name. */
  readonly accepted: number | null;
  /** The same by how they stand now, `accepted` to `skipped`; absent: none. Null for every name. */
  readonly statuses: HookUse['statuses'] | null;
  /** Requests that were refused since `since`, as far as refusals are kept. */
  readonly refused: number;
  /** What to do at the sender of its preset, a step each; words in angle brackets stand for secrets. */
  readonly steps: readonly string[];
}

/** Every way in. */
export interface Hooks {
  /** `hooks.enabled`; false: each of them answers 404. */
  readonly isEnabled: boolean;
  /** Since when requests are counted. */
  readonly since: string;
  readonly hooks: readonly HookReport[];
}

/** A page of events, newest first. */
export interface EventPage {
  readonly events: readonly EventSummary[];
  /** `cursor` of the next page; null: there is none. A search that takes too long gives a page that is not full. */
  readonly nextCursor: string | null;
  /** Of a search: what came from this time on may be missing, since the index is behind; null: nothing is. */
  readonly searchedUntil?: string | null;
}

/** Dead runs and deliveries were put back into their queues. */
export interface Retried extends Done {
  /** How many. */
  readonly retried: number;
}

/** Some of those that were asked for. */
export interface RetriedPage extends Retried {
  /** `cursor` of the next call; null: there was no more. */
  readonly nextCursor: string | null;
}

/** Dead runs and deliveries were forgotten. */
export interface Dismissed extends Done {
  /** How many. */
  readonly dismissed: number;
}

/** Some of those that were asked for. */
export interface DismissedPage extends Dismissed {
  /** `cursor` of the next call; null: there was no more. */
  readonly nextCursor: string | null;
}

/** What was erased. */
export interface Forgotten extends Done {
  readonly events: number;
  /** Turns of sessions that were shown it. */
  readonly turns: number;
  /** Lines that waited for a turn. */
  readonly lines: number;
  /** Where it may still stand, beyond the reach of the service, and what to do there: a sentence each. */
  readonly leftovers: readonly string[];
}

/** A page of refused requests, newest first. */
export interface RefusalPage {
  readonly refusals: readonly RefusedRequest[];
  /** `cursor` of the next page; null: there is none. */
  readonly nextCursor: string | null;
}

/** What verified senders lost at one hook, with what to do about it. */
export interface LostAndWhy extends LostRequests {
  /** One sentence without its stop and without times. */
  readonly what: string;
  readonly todo: string;
}

/** What verified senders lost in the last hour, the most first. */
export interface LostLately {
  readonly lost: readonly LostAndWhy[];
}

/** A page of sessions, in order of their full keys. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** `cursor` of the next page; null: there is none. */
  readonly nextCursor: string | null;
}

/** Every configured channel; what happened is known over restarts and of all instances. */
export interface Channels {
  readonly channels: readonly ChannelReport[];
}

/** A test message was sent. */
export interface TestSent extends Done {
  /** `accepted`: the platform took it and says nothing of its arrival. */
  readonly status: 'delivered' | 'accepted';
  /** The platform's own id of it; null: the platform gives none. */
  readonly messageId: string | null;
}

/** How the mailboxes are doing. */
export interface MailReport {
  /** Null: no mailbox is configured. */
  readonly mail: MailStatus | null;
}

/** Backends that rested may be asked again. */
export interface TriedBackends extends Done {
  /** False: none rested. */
  readonly tried: boolean;
}

/** Whether intake and work stand still. */
export interface Intake extends Done {
  readonly paused: boolean;
}

/** The window in which a sender's secret is taken from its handshake. */
export interface Window {
  readonly window: SecretWindow;
}

/** Whether a browser is logged in to the console. */
export interface ConsoleLogin {
  readonly loggedIn: boolean;
  /** When the session ends unless it is used again; null: there is none. */
  readonly endsAt: string | null;
  /** With whose token; null: there is no session. */
  readonly as: LoggedIn | null;
  /** An application has this console within itself: neither files of a service nor the command `hooks` belong to it. */
  readonly isEmbedded: boolean;
}

/** Who is logged in, and what they may do: each role also what the ones before it may. */
export interface LoggedIn {
  /** `operator`: with the token that may do all; else the id of one of `ops.tokens`. */
  readonly id: string;
  readonly role: 'read' | 'operate' | 'configure';
}

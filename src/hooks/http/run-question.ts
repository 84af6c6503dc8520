import type { IncomingMessage } from 'node:http';
import { CALLBACK_TOKEN } from '../ports/index.ts';
import { parseBearer } from './auth/presented-token.ts';

const RUN_PATH = /^runs\/([^/]+)$/;

const ASKING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Somebody asks what became of a run: not a hook, though the path lies among theirs. */
export interface RunQuestion {
  /** As it came; it may be no id at all. */
  readonly runId: string;
  /** With the query. */
  readonly url: string;
}

/** Exactly so in the raw URL. POSTs there belong to mappings, unless they show the token of the run. */
export function runIdIn(name: string): string | undefined {
  return RUN_PATH.exec(name)?.[1];
}

/** The question that a request asks; undefined: it asks for no run. @param name sub-path as it came */
export function readQuestion(
  name: string,
  { method = '', url = '' }: IncomingMessage,
): RunQuestion | undefined {
  const runId = ASKING.has(method) ? runIdIn(name) : undefined;
  return runId === undefined ? undefined : { runId, url };
}

/** Header in which Agent2Agent sends the token of a push notification, beside or instead of a bearer. */
const A2A_TOKEN = 'x-a2a-notification-token';

export interface RunCallback {
  readonly runId: string;
  readonly token: string;
  /** Once the token is verified: whether the run has ended. */
  readonly hasEnded?: boolean;
}

/** Whether a request is one: without such a token, what is posted to the path of a run belongs to mappings. @param name sub-path as it came */
export function readCallback(
  name: string,
  { method, headers }: IncomingMessage,
): RunCallback | undefined {
  const runId = method === 'POST' ? runIdIn(name) : undefined;
  if (runId === undefined) return undefined;
  const notified = headers[A2A_TOKEN];
  const token = parseBearer(headers.authorization) ?? String(notified ?? '').trim();
  return token.startsWith(CALLBACK_TOKEN) ? { runId, token } : undefined;
}

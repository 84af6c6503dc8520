import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { getField } from '../../platform/objects.ts';
import { Rejection } from '../ports/rejection.ts';
import { fillParts } from '../senders/index.ts';
import type { Handshake, QuestionPlace } from '../senders/index.ts';
import type { HookAnswer } from './hook-call.ts';

export interface Question extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  /** Of the body, once its sender is verified. */
  readonly payload?: unknown;
}

/** Longest text that is sent back, in bytes. */
const LONGEST_ECHO = 1024;

/** Of what an HMAC is made. With a colon or more in it, the answer could be the signature of an event. */
const PLAIN_TOKEN = /^[\w-]{1,64}$/;

const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Whether all but `verifyToken` is as the row says. */
export function isAsked({ when }: Handshake, question: Question): boolean {
  const { method, at, is, unless } = when;
  if (question.method !== method) return false;
  if (unless !== undefined && fieldOf(question, unless) !== undefined) return false;
  if (at === undefined) return true;
  const found = valueAt(question, at);
  return is === undefined ? found !== undefined : found === is;
}

/** @param secret of an HMAC @throws Rejection invalid_payload for a question that cannot be answered */
export function makeAnswer(
  { answer }: Handshake,
  question: Question,
  secret: string | undefined,
): HookAnswer {
  const { status, text, json, headers } = answer;
  const hmac = answer.hmac && makeHmac(answer.hmac, question, secret);
  const fill = (template: string): string =>
    echoable(fillParts(template, (part) => valueOf(part, question, hmac)));
  return {
    status,
    ...(text !== undefined && { text: fill(text) }),
    ...(json !== undefined && {
      body: mapValues(json, (value) => (typeof value === 'string' ? fill(value) : value)),
    }),
    ...(headers !== undefined && {
      headers: mapValues(headers, (value) => headerValue(fill(value))),
    }),
  };
}

/** @throws Rejection invalid_signature. Digests are compared, so that the time tells nothing. */
export function assertVerifyToken(question: Question, parameter: string, expected: string): void {
  const given = queryParameter(question, parameter);
  const isRight = timingSafeEqual(
    hash('sha256', given ?? '', 'buffer'),
    hash('sha256', expected, 'buffer'),
  );
  if (isRight && given !== undefined) return;
  throw new Rejection('invalid_signature', `${parameter} is not the verifyToken of this hook`);
}

function makeHmac(
  { of, hash: algorithm, encoding }: NonNullable<Handshake['answer']['hmac']>,
  question: Question,
  secret: string | undefined,
): string {
  const token = fieldOf(question, of.field);
  if (typeof token !== 'string' || !PLAIN_TOKEN.test(token) || secret === undefined) {
    throw new Rejection(
      'invalid_payload',
      'The token is not 1 to 64 letters, digits, _ or -, or this hook has no secret to sign it with',
    );
  }
  return createHmac(algorithm, secret).update(token).digest(encoding);
}

/** @throws Rejection invalid_payload where a field is no text */
function valueOf(part: string, question: Question, hmac: string | undefined): string {
  const colon = part.indexOf(':');
  const name = part.slice(colon + 1);
  switch (part.slice(0, Math.max(0, colon))) {
    case 'query':
      return queryParameter(question, name) ?? '';
    case 'header':
      return headerOf(question, name) ?? '';
    case 'field': {
      const text = fieldOf(question, name);
      if (typeof text === 'string') return text;
      throw new Rejection('invalid_payload', 'The challenge is missing');
    }
    default:
      return hmac ?? '';
  }
}

function valueAt(question: Question, at: QuestionPlace): unknown {
  if ('header' in at) return headerOf(question, at.header);
  return 'query' in at ? queryParameter(question, at.query) : fieldOf(question, at.field);
}

function headerOf({ headers }: Question, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function fieldOf({ payload }: Question, path: string): unknown {
  return getField(payload, ...path.split('.'));
}

/** First value, whatever it is called: what a template may see of a query has no credentials, and so no verify token. */
function queryParameter({ url = '' }: Question, name: string): string | undefined {
  const start = url.indexOf('?');
  return start === -1
    ? undefined
    : (new URLSearchParams(url.slice(start + 1)).get(name) ?? undefined);
}

/** @throws Rejection invalid_payload */
function echoable(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_ECHO) return text;
  throw new Rejection('invalid_payload', `The challenge is longer than ${LONGEST_ECHO} bytes`);
}

/** @throws Rejection invalid_payload */
function headerValue(text: string): string {
  if (HEADER_VALUE.test(text)) return text;
  throw new Rejection('invalid_payload', 'The challenge has what no header can have');
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

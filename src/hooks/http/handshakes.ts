import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { getField, isRecord } from '../../platform/objects.ts';
import { Clock } from '../ports/index.ts';
import { Rejection } from '../rejection.ts';
import { presentedToken } from './auth/hook-authentication.ts';
import type { SignatureScheme } from './auth/signatures/index.ts';
import { BodyReader } from './body.ts';
import { parseJson } from './content.ts';
import type { HookAnswer, HookCall } from './hook-call.ts';
import type { PathRule } from './path-rules.ts';
import type { PathSigner } from './path-signer.ts';
import { SecretWindows } from './secret-windows.ts';

/*
 * What some senders ask before they deliver anything: is this address yours? The scheme's row says which question it
 * asks (`handshake`); here it is answered. A question never becomes an event, and its answer holds nothing but what
 * came in (or, for Zoom, what only the holder of the secret can make of it).
 */

const EMPTY = Buffer.alloc(0);

/** Largest body in which a secret is looked for, in bytes: that of Notion has about 80. */
const LARGEST_OFFER = 4096;

/** How often questions that nobody signed are told of a path, in milliseconds: strangers may ask as they like. */
const TELL_EVERY_MS = 60_000;

/** Longest text that is sent back, in bytes. */
const LONGEST_ECHO = 1024;

/** What Zoom's challenge may be. With a colon or more in it, the answer could be the signature of an event. */
const PLAIN_TOKEN = /^[\w-]{1,64}$/;

type Handshake = NonNullable<SignatureScheme['handshake']>;

type QuestionHead = Pick<IncomingMessage, 'method' | 'url'>;

@Injectable()
export class Handshakes {
  readonly #logger = new Logger('Hooks');
  /** Of each path, when its unsigned questions were last told, and how many came since. */
  readonly #told = new Map<string, { readonly at: number; count: number }>();

  constructor(
    private readonly windows: SecretWindows,
    private readonly body: BodyReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Questions that come without a signature and without a body worth reading: Meta's and Strava's GET, Trello's HEAD,
   * the POST of Microsoft Graph. Null when it is none of them.
   * @throws Rejection invalid_signature for a wrong `verifyToken`, invalid_payload for an echo that is too long
   */
  answerHead({ scheme, signer, path }: PathRule, { method, url }: QuestionHead): HookAnswer | null {
    const handshake = scheme?.handshake;
    if (handshake === undefined || signer === undefined) return null;
    const answer = answerHead(handshake, signer, { method, url });
    if (answer !== null) this.#tellUnsigned(path);
    return answer;
  }

  /**
   * Questions in a body whose sender is verified: Slack's, Zoom's and Discord's. Null when it is none of them.
   * @throws Rejection invalid_payload for a question that cannot be answered
   */
  async answerBody(rule: PathRule, call: HookCall): Promise<HookAnswer | null> {
    const { scheme, signer, path } = rule;
    const handshake = scheme?.handshake;
    const payload = call.content?.value;
    if (handshake === undefined || !isRecord(payload)) return null;
    const answer = await answerBody(handshake, payload, () => findSecret(signer, call));
    if (answer !== null) this.#tell(path);
    return answer;
  }

  /**
   * A secret that its sender tells us, by a request that nothing proves: Asana in a header, which it wants back, Notion
   * in a small body. Only while the operator holds a window open for the path ({@link SecretWindows}). Null: it is no
   * such request, and is judged as ever.
   */
  takeSecret(call: HookCall): HookAnswer | null | Promise<HookAnswer | null> {
    const { raw, name, rule, client } = call;
    if (this.windows.isEmpty || raw.method !== 'POST') return null;
    // Whoever presents a token is judged by that, and the body is still to be read then.
    if (presentedToken(raw.headers, rule?.tokenHeader) !== null) return null;
    const handshake = this.windows.awaited(name, rule);
    if (handshake?.kind === 'token-to-operator') return this.#takeFromBody(handshake.field, call);
    if (handshake === undefined) return null;
    const { header } = handshake;
    const secret = raw.headers[header];
    if (!this.windows.take(name, secret, client)) return null;
    return { status: 200, headers: { [header]: secret } };
  }

  /** A body of which the length is not announced, or is too long, is not read here. */
  async #takeFromBody(field: string, call: HookCall): Promise<HookAnswer | null> {
    const { raw, name, settings, client, payload } = call;
    const announced = Number(raw.headers['content-length'] ?? 0);
    if (!(announced > 0 && announced <= LARGEST_OFFER)) return null;
    const { bodyTimeoutSeconds } = settings.hooks;
    const limits = { maxBodyBytes: LARGEST_OFFER, bodyTimeoutSeconds };
    const bytes = await this.body.read(raw, payload, limits);
    if (!this.windows.take(name, readField(bytes, field), client)) return null;
    return { status: 200, body: { ok: true } };
  }

  #tellUnsigned(path: string): void {
    const now = this.clock.elapsed();
    const told = this.#told.get(path);
    if (told !== undefined && now - told.at < TELL_EVERY_MS) {
      told.count += 1;
      return;
    }
    this.#told.set(path, { at: now, count: 0 });
    this.#tell(path, told?.count);
  }

  #tell(path: string, untold = 0): void {
    const others = untold === 0 ? '' : ` (and ${untold} more since the last such line)`;
    this.#logger.log(
      `answered the handshake of the sender to ${path}; it is not stored as an event${others}`,
    );
  }
}

function answerHead(
  handshake: Handshake,
  { verifyToken }: PathSigner,
  { method, url = '' }: QuestionHead,
): HookAnswer | null {
  switch (handshake.kind) {
    case 'head':
      return method === 'HEAD' ? { status: 200 } : null;
    case 'query-echo': {
      const text = method === 'POST' ? queryParameter(url, handshake.parameter) : undefined;
      return text === undefined ? null : echoText(text);
    }
    case 'get-challenge': {
      if (method !== 'GET') return null;
      if (handshake.verifyToken !== undefined) {
        if (verifyToken === undefined) return null;
        assertSame(queryParameter(url, handshake.verifyToken), verifyToken, handshake.verifyToken);
      }
      const text = queryParameter(url, handshake.parameter) ?? '';
      if (handshake.answer === 'text') return echoText(text);
      return { status: 200, body: { [handshake.parameter]: echoable(text) } };
    }
    default:
      return null;
  }
}

async function answerBody(
  handshake: Handshake,
  payload: Readonly<Record<string, unknown>>,
  findSecret: () => Promise<string | undefined>,
): Promise<HookAnswer | null> {
  switch (handshake.kind) {
    case 'challenge-json': {
      if (payload[handshake.field] !== handshake.is) return null;
      const text = getField(payload, handshake.echo);
      if (typeof text !== 'string')
        throw new Rejection('invalid_payload', 'The challenge is missing');
      return { status: 200, body: { [handshake.echo]: echoable(text) } };
    }
    case 'challenge-hmac': {
      if (payload[handshake.field] !== handshake.is) return null;
      const plainToken = getField(payload, ...handshake.token.split('.'));
      const secret = await findSecret();
      if (typeof plainToken !== 'string' || !PLAIN_TOKEN.test(plainToken) || secret === undefined) {
        throw new Rejection(
          'invalid_payload',
          'The token is not 1 to 64 letters, digits, _ or -, or this hook has no secret to sign it with',
        );
      }
      const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
      return { status: 200, body: { plainToken, encryptedToken } };
    }
    case 'pong': {
      const { field, unless, answers } = handshake;
      const value = payload[field];
      if (typeof value !== 'number' || Object.hasOwn(payload, unless)) return null;
      const answer = answers[value];
      if (answer === undefined) return null;
      return answer === false ? { status: 204 } : { status: 200, body: { ...answer } };
    }
    default:
      return null;
  }
}

/** The one of the path's secrets that a request is signed with; undefined: none, it was let in by its token. */
async function findSecret(
  signer: PathSigner | undefined,
  { raw, bytes: body = EMPTY, receivedAt }: HookCall,
): Promise<string | undefined> {
  const { method = '', url = '', headers } = raw;
  for (const [index, verifier] of (signer?.single() ?? []).entries()) {
    const found = await verifier.verify({ method, url, headers, body }, receivedAt);
    if (typeof found !== 'string') return signer?.secrets[index]?.text;
  }
  return undefined;
}

/** Undefined for whatever is no JSON object with that field. */
function readField(bytes: Buffer, field: string): unknown {
  try {
    return getField(parseJson(bytes).value, field);
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
}

/** First value, whatever it is called: what a template may see of a query has no credentials, and so no verify token. */
function queryParameter(url: string, name: string): string | undefined {
  const start = url.indexOf('?');
  return start === -1
    ? undefined
    : (new URLSearchParams(url.slice(start + 1)).get(name) ?? undefined);
}

/** @throws Rejection invalid_signature. Digests are compared, so that the time tells nothing. */
function assertSame(given: string | undefined, expected: string, parameter: string): void {
  const isRight = timingSafeEqual(
    hash('sha256', given ?? '', 'buffer'),
    hash('sha256', expected, 'buffer'),
  );
  if (isRight && given !== undefined) return;
  throw new Rejection('invalid_signature', `${parameter} is not the verifyToken of this hook`);
}

/** As plain text, whatever it looks like: a browser must not take it for a page. */
function echoText(text: string): HookAnswer {
  return { status: 200, text: echoable(text) };
}

/** @throws Rejection invalid_payload */
function echoable(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_ECHO) return text;
  throw new Rejection('invalid_payload', `The challenge is longer than ${LONGEST_ECHO} bytes`);
}

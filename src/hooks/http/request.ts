import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { HookRequest } from '../actions/hook-request.ts';
import { LONGEST_KEY } from '../actions/idempotency.ts';
import { LEFT_OUT, isCredential } from '../../platform/credentials.ts';
import { SHORTEST_TOKEN, holdsSecret, ownSecrets } from '../options/index.ts';
import { Rejection } from '../rejection.ts';
import { presentedToken } from './auth/hook-authentication.ts';
import { SignatureCheck } from './auth/signature-check.ts';
import { BodyReader } from './body.ts';
import { assertContent, parseContent } from './content.ts';
import { Handshakes } from './handshakes.ts';
import type { PathSigner } from './path-signer.ts';
import { VERIFIED_BY_HOST } from './request-context.ts';
import type { RequestContext } from './request-context.ts';

const NONE: readonly string[] = [];

/** Makes a {@link HookRequest}, plain data, of what came in over HTTP. */
@Injectable()
export class RequestReader {
  constructor(
    private readonly body: BodyReader,
    private readonly signatures: SignatureCheck,
    private readonly handshakes: Handshakes,
  ) {}

  /**
   * 1. Nothing but slashes after the prefix: 404. 2. The body: 415, 413, 408. 3. Where the sender has to sign: 401 unless
   * its signature fits these bytes. 4. They are not what the path takes: 400. 5. A question of the sender's is answered.
   * 6. A key that is too long: 400.
   * @throws Rejection, ClientGone, HandshakeAnswered
   */
  async read(context: RequestContext, { raw }: FastifyRequest): Promise<HookRequest> {
    const { name, settings, client, receivedAt, rule, signer } = context;
    if (/^\/*$/.test(name)) throw new Rejection('unknown_hook');
    // Until the whole body is there, the rest of it may still be under way.
    context.isBodyRefused = true;
    assertContent(raw.headers, rule?.body, rule?.contentType);
    const bytes =
      signer === undefined
        ? await this.body.read(raw, context.payload ?? raw, rule?.limits ?? settings.hooks)
        : await this.#readSigned(context, signer, raw);
    context.isBodyRefused = false;
    const { verifiedBy = VERIFIED_BY_HOST, signature } = context;
    const { value, text, isVerbatim } = parseContent(bytes, rule?.body, raw.headers);
    if (rule?.scheme?.handshake !== undefined) {
      await this.handshakes.answerBody(rule, value, { raw, bytes, receivedAt });
    }
    const idempotencyKey = getIdempotencyKey(raw.headers);
    const secrets = secretsOf(context, raw.headers);
    const headers = visibleHeaders(raw.headers, secrets, rule?.secretHeaders);
    const payloadDigest =
      isVerbatim && signer?.signsBodyAlone === true ? signature?.signedDigest : undefined;
    return {
      name: visibleName(name, secrets),
      query: parseQuery(raw.url ?? '', secrets),
      headers,
      payload: value,
      payloadText: text,
      client,
      verifiedBy,
      receivedAt,
      settings,
      ...(signature !== undefined && { signature }),
      ...(payloadDigest !== undefined && { payloadDigest }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  /** The sender is known only once its signature fits the bytes. */
  async #readSigned(
    context: RequestContext,
    { verifier, toleranceSeconds }: PathSigner,
    raw: IncomingMessage,
  ): Promise<Buffer> {
    const { client, receivedAt, settings, rule, payload = raw } = context;
    const limits = rule?.limits ?? settings.hooks;
    const { bytes, signature } = await this.signatures.read(
      raw,
      { verifier, client, receivedAt },
      limits,
      async () => {
        const body = await this.body.read(raw, payload, limits);
        context.isBodyRefused = false;
        return body;
      },
    );
    const { sender, ...proof } = signature;
    context.verifiedBy = signedBy(proof.scheme, sender);
    context.signature = toleranceSeconds === undefined ? proof : { ...proof, toleranceSeconds };
    return bytes;
  }
}

/** Who speaks by a signature, in stories and prompts. @param sender id of one of `verify.senders` */
export function signedBy(scheme: string, sender: string | undefined): string {
  return sender === undefined ? scheme : `${scheme} ${sender}`;
}

/**
 * What a request must show to nobody: our own secrets, and the token that it came with, of which we may know no more than
 * the digest.
 */
export function secretsOf(
  context: RequestContext,
  headers: IncomingHttpHeaders,
): readonly string[] {
  return (context.secrets ??= withPresented(
    context,
    presentedToken(headers, context.rule?.tokenHeader),
  ));
}

function withPresented({ settings }: RequestContext, token: string | null): readonly string[] {
  const secrets = ownSecrets(settings);
  // A shorter one opens nothing, and is part of too much.
  if (token === null || token.length < SHORTEST_TOKEN || secrets.includes(token)) return secrets;
  return [...secrets, token];
}

/**
 * First value of each query parameter, decoded; credentials left out.
 * @param secrets our own; a parameter that brings one is left out, whatever its name
 */
export function parseQuery(url: string, secrets: readonly string[] = []): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of parameters(url)) {
    if (Object.hasOwn(query, name) || isCredential(name)) continue;
    if (holdsSecret(value, secrets) || holdsSecret(name, secrets)) continue;
    // Not an assignment: a parameter may be called `__proto__`.
    Object.defineProperty(query, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return query;
}

/** A text with `[left out]` in place of our own secrets. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, LEFT_OUT), text);
}

/** A name under the prefix, with `[left out]` in place of our own secrets, percent-encoded or not. */
export function visibleName(name: string, secrets: readonly string[]): string {
  const shown = hideSecrets(name, secrets);
  if (!shown.includes('%')) return shown;
  const visible = shown
    .split('/')
    .map((segment) => (holdsSecret(decode(segment), secrets) ? LEFT_OUT : segment))
    .join('/');
  // A secret with a slash of its own, of which only the rest is encoded.
  return holdsSecret(decode(visible), secrets) ? LEFT_OUT : visible;
}

/** Whether a token was put where every log on the way keeps it. */
export function hasTokenInQuery(url: string): boolean {
  return parameters(url).some(([name]) => name === 'token');
}

/** `#` never belongs in a request; what follows it is read like a query, so that nothing hides behind it. */
function parameters(url: string): (readonly [name: string, value: string])[] {
  const start = url.search(/[?#]/);
  if (start === -1) return [];
  const parts = url.slice(start + 1).split(/[?&#]/);
  return parts.filter((part) => part !== '').map(decodePair);
}

function decodePair(part: string): readonly [string, string] {
  const equals = part.indexOf('=');
  return equals === -1
    ? [decode(part), '']
    : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/**
 * What may be seen of a request's headers: lower-case names, repeated ones joined, credentials left out.
 * @param secrets our own; a header that brings one is left out, whatever its name
 * @param secretHeaders left out besides, in lower case
 */
export function visibleHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[] = [],
  secretHeaders: readonly string[] = NONE,
): Record<string, string> {
  const visible: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || isCredential(name) || secretHeaders.includes(name)) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    if (!holdsSecret(text, secrets)) visible[name] = text;
  }
  return visible;
}

/**
 * The sender's idempotency key: `idempotency-key`, else `x-gateway-idempotency-key`; blank ones count as absent.
 * @throws Rejection invalid_idempotency_key
 */
export function getIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = trimmed(headers['idempotency-key']) || trimmed(headers['x-gateway-idempotency-key']);
  if (key.length > LONGEST_KEY) throw new Rejection('invalid_idempotency_key');
  return key === '' ? undefined : key;
}

function trimmed(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
}

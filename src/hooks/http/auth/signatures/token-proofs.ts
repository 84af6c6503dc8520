import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Problem } from '../../../options/index.ts';
import { getField, getText, isRecord, parseJson } from '../../../../platform/objects.ts';
import { compileEquality, readSecret } from './keys.ts';
import { compileAll } from './proofs.ts';
import type { CompiledProof, ProofSettings, Proven, SecretCheck } from './proofs.ts';
import type { SenderSecret } from './sender-secrets.ts';
import type { SecretProof, TokenProof } from '../../../senders/index.ts';
import type { RequestHead, SignatureFault } from './signed-request.ts';
import { decode } from './signature-values.ts';
import { readHeader } from './signed-content.ts';
import type { Delivery } from './signed-content.ts';

/*
 * Proofs that show something instead of signing the body's bytes: JSON web tokens with a claim about the body, secrets in
 * a header or a field, and Basic. A secret that is shown proves who speaks and nothing about the body; `coverage.ts` and
 * the table of docs/security.md say so.
 */

/** A JSON web token taken apart; nothing of it is believed yet. */
interface WebToken {
  /** Header and payload as they are signed. */
  readonly signed: string;
  readonly payload: unknown;
  readonly signature: Buffer;
}

/** @returns null for anything but a token of HS256: `none` and public-key algorithms are none that a shared secret proves. */
function readToken(text: string): WebToken | null {
  const parts = text.split('.', 4);
  const [header, payload, signature] = parts.map((part) => decode(part, 'base64url'));
  if (parts.length !== 3 || !header || !payload || signature?.length !== 32) return null;
  const head = parseJson(header.toString());
  if (getField(head, 'alg') !== 'HS256' || getField(head, 'crit') !== undefined) return null;
  const claims = parseJson(payload.toString());
  if (!isRecord(claims)) return null;
  return { signed: parts.slice(0, 2).join('.'), payload: claims, signature };
}

/** JSON web tokens with a claim that holds the body's SHA-256. */
export function compileToken(
  { at, issuer, bodyClaim }: TokenProof,
  { secrets }: ProofSettings,
): CompiledProof | { problems: Problem[] } {
  const keys = compileAll<KeyObject>(secrets, (secret) => readSecret(secret));
  if ('problems' in keys) return keys;
  // Taken apart for each half anew: between them the body arrives, and nothing is kept for a request that may not end.
  const read = (head: RequestHead): WebToken | SignatureFault => {
    const text = readHeader(head, at.header);
    if (text === undefined) return 'missing';
    return (text === null ? null : readToken(text)) ?? 'malformed';
  };
  return {
    isPresent: (head) => readHeader(head, at.header) !== undefined,
    checkHead(head, now) {
      const token = read(head);
      if (typeof token === 'string') return token;
      return isExpired(token, now) ? 'stale' : null;
    },
    verify({ request }, now) {
      const token = read(request);
      if (typeof token === 'string') return token;
      if (isExpired(token, now)) return 'stale';
      let right: Proven | undefined;
      for (const { check: key, sender } of keys.made) {
        const tag = createHmac('sha256', key).update(token.signed).digest();
        if (timingSafeEqual(tag, token.signature)) {
          right = { content: Buffer.from(token.signed), sender };
        }
      }
      const isBound =
        getField(token.payload, 'iss') === issuer &&
        getField(token.payload, bodyClaim) === hash('sha256', request.body, 'hex');
      return right !== undefined && isBound ? right : 'mismatch';
    },
  };
}

/** Before `nbf`, or past `exp`, where the token has them. */
function isExpired({ payload }: WebToken, now: number): boolean {
  const from = getField(payload, 'nbf');
  const until = getField(payload, 'exp');
  const isEarly = from !== undefined && !(typeof from === 'number' && from * 1000 <= now);
  return isEarly || (until !== undefined && !(typeof until === 'number' && until * 1000 > now));
}

/** A shorter secret that is sent as it is can be guessed: a signed path locks nobody out. */
const LEAST_SECRET = 16;
/** More items than one request has; each is compared. */
const MOST_ITEMS = 1000;

/** Secrets as they are, in a header or in the body. One in a header is compared before the body is read. */
export function compileSecret(
  { at, each, isGuessable = false }: SecretProof,
  { secrets }: ProofSettings,
): CompiledProof | { problems: Problem[] } {
  const matchers = equalities(secrets, isGuessable ? 1 : LEAST_SECRET);
  if ('problems' in matchers) return matchers;
  const compare = (text: string | null | undefined): Proven | SignatureFault => {
    if (text === undefined) return 'missing';
    return text === null ? 'malformed' : compareAll(matchers.made, text);
  };
  if ('header' in at) {
    const check = (head: RequestHead): Proven | SignatureFault =>
      compare(readHeader(head, at.header));
    return {
      isPresent: (head) => readHeader(head, at.header) !== undefined,
      checkHead: (head) => faultOf(check(head)),
      verify: ({ request }) => check(request),
    };
  }
  return {
    isPresent: () => true,
    checkHead: () => null,
    verify(delivery) {
      if (each === undefined) return compare(delivery.read(at));
      const items = getField(delivery.json, each);
      if (!Array.isArray(items) || items.length === 0) return 'missing';
      if (items.length > MOST_ITEMS) return 'malformed';
      const found = items.map((item) => compare(getText(item, at.field)));
      const [first = 'missing'] = found;
      const fault = found.map(faultOf).find((one) => one !== null);
      if (fault !== undefined || typeof first === 'string') return fault ?? 'missing';
      // What several senders are said to have sent together is none of theirs.
      return found.every((one) => typeof one !== 'string' && one.sender === first.sender)
        ? first
        : 'mismatch';
    },
  };
}

const BASIC = /^basic +(\S+)$/i;

/** `Authorization: Basic`, compared before the body is read. */
export function compileBasic({ secrets }: ProofSettings): CompiledProof | { problems: Problem[] } {
  const matchers = equalities(secrets, LEAST_SECRET, /^[^:]*:./s);
  if ('problems' in matchers) return matchers;
  const check = (head: RequestHead): Proven | SignatureFault => {
    const text = readHeader(head, 'authorization');
    if (text === undefined) return 'missing';
    const given = decode(BASIC.exec(text ?? '')?.[1] ?? '', 'base64');
    return given === null ? 'malformed' : compareAll(matchers.made, given.toString());
  };
  return {
    isPresent: (head) => readHeader(head, 'authorization') !== undefined,
    checkHead: (head) => faultOf(check(head)),
    verify: ({ request }: Delivery) => check(request),
  };
}

/** Whether a text is one configured secret, in constant time. */
type Equality = (given: string) => boolean;

/** @param form what a secret has to look like. @returns one comparison for each secret, or what is wrong with them */
function equalities(
  secrets: readonly SenderSecret[],
  least: number,
  form?: RegExp,
): { made: SecretCheck<Equality>[] } | { problems: Problem[] } {
  return compileAll<Equality>(secrets, (secret) => {
    if (form !== undefined && !form.test(secret)) return 'must be user:password';
    if (secret.length >= least) return compileEquality(secret);
    return `must have at least ${least} characters, since this sender shows it with every request`;
  });
}

/** All of them are asked, so that the time says nothing about which. */
function compareAll(
  matchers: readonly SecretCheck<Equality>[],
  given: string,
): Proven | SignatureFault {
  let right: Proven | undefined;
  for (const { check, sender } of matchers) {
    if (check(given)) right = { content: null, sender };
  }
  return right ?? 'mismatch';
}

function faultOf(found: Proven | SignatureFault): SignatureFault | null {
  return typeof found === 'string' ? found : null;
}

import { createHmac, createSecretKey, hash, timingSafeEqual, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { getField, getText, isRecord, parseJson } from '../../../../platform/objects.ts';
import { fillParts } from '../../../senders/index.ts';
import type { TokenProof } from '../../../senders/index.ts';
import type { CompiledProof, ProofSettings, Proven } from './proofs.ts';
import type { FoundKey, PublishedKeys } from './published-keys.ts';
import type { SenderSecret } from './sender-secrets.ts';
import type { RequestHead, SignatureFault, SignedRequest } from './signed-request.ts';
import { decode } from './signature-values.ts';
import { readHeader } from './signed-content.ts';

// JSON web tokens (RFC 7519). A key decides which algorithm may have been used, never the token: `none` is none, and what
// an issuer publishes is no secret of HS256.

interface WebToken {
  readonly head: unknown;
  readonly claims: unknown;
  readonly signed: string;
  readonly signature: Buffer;
}

/** Bytes of a signature: of HS256, or of RSA with 4,096 bits. */
const SIGNATURE = { shortest: 32, longest: 512 };
const BEARER = /^bearer +/i;

function readToken(text: string): WebToken | null {
  const parts = text.split('.', 4);
  const [head, claims, signature] = parts.map((part) => decode(part, 'base64url'));
  if (parts.length !== 3 || !head || !claims || !signature) return null;
  if (signature.length < SIGNATURE.shortest || signature.length > SIGNATURE.longest) return null;
  const token = { head: parseJson(head.toString()), claims: parseJson(claims.toString()) };
  if (!isRecord(token.claims) || getField(token.head, 'crit') !== undefined) return null;
  return { ...token, signed: parts.slice(0, 2).join('.'), signature };
}

/** @param published those of the row's issuer; null: the operator's secrets are the keys */
export function compileWebToken(
  proof: TokenProof,
  { secrets, publicUrl = '' }: ProofSettings,
  published: PublishedKeys | null,
): CompiledProof {
  // Taken apart for each half anew: between them the body arrives, and nothing is kept for a request that may not end.
  const read = (head: RequestHead, now: number): WebToken | SignatureFault => {
    const text = readHeader(head, proof.at.header);
    if (text === undefined) return 'missing';
    const token = text === null ? null : readToken(text.replace(BEARER, ''));
    if (token === null) return 'malformed';
    const isRight = published === null ? isAlgorithm(token, 'HS256') : hasKey(token);
    if (!isRight) return 'malformed';
    return isExpired(token, now) ? 'stale' : token;
  };
  const prove = (secret: SenderSecret, token: WebToken, request: SignedRequest): Proven | null => {
    const told = { secret: secret.text, url: publicUrl + request.url };
    if (!isBound(token, proof, request) || !fits(token, proof, told)) return null;
    // The same token may come with other bodies: it is no sign of a repeat.
    const content = proof.bodyClaim === undefined ? null : Buffer.from(token.signed);
    return { content, sender: secret.sender };
  };
  const keys =
    published === null ? secrets.map(({ text }) => createSecretKey(Buffer.from(text))) : [];
  return {
    isPresent: (head) => readHeader(head, proof.at.header) !== undefined,
    checkHead(head, now) {
      const token = read(head, now);
      return typeof token === 'string' ? token : null;
    },
    verify({ request }, now) {
      const token = read(request, now);
      if (typeof token === 'string') return token;
      if (published === null) {
        let right: Proven | null = null;
        // All of them, so that the time says nothing about which.
        for (const [at, key] of keys.entries()) {
          if (isTagged(token, key)) right = prove(secrets[at]!, token, request);
        }
        return right ?? 'mismatch';
      }
      const conclude = (key: FoundKey): Proven | SignatureFault => {
        if (key === 'away') return 'unavailable';
        if (key === 'absent' || !isSigned(token, key)) return 'mismatch';
        const proven = secrets.map((secret) => prove(secret, token, request));
        return proven.find((one) => one !== null) ?? 'mismatch';
      };
      const found = published.get(getText(token.head, 'kid') ?? '', now);
      return found instanceof Promise ? found.then(conclude) : conclude(found);
    },
  };
}

function isAlgorithm({ head }: WebToken, algorithm: string): boolean {
  return getField(head, 'alg') === algorithm;
}

/** Whether it names a key, and ends: one without an end would open for ever. */
function hasKey(token: WebToken): boolean {
  const isKnown = Object.values(ALGORITHMS).some((algorithm) => isAlgorithm(token, algorithm));
  const { head, claims } = token;
  return (
    isKnown && typeof getField(head, 'kid') === 'string' && getField(claims, 'exp') !== undefined
  );
}

function isExpired({ claims }: WebToken, now: number): boolean {
  const from = getField(claims, 'nbf');
  const until = getField(claims, 'exp');
  const isEarly = from !== undefined && !(typeof from === 'number' && from * 1000 <= now);
  return isEarly || (until !== undefined && !(typeof until === 'number' && until * 1000 > now));
}

function isTagged({ signed, signature }: WebToken, key: KeyObject): boolean {
  const tag = createHmac('sha256', key).update(signed).digest();
  return tag.length === signature.length && timingSafeEqual(tag, signature);
}

const ALGORITHMS: Readonly<Record<string, string>> = { rsa: 'RS256', ec: 'ES256' };

function isSigned(token: WebToken, key: KeyObject): boolean {
  const algorithm = ALGORITHMS[key.asymmetricKeyType ?? ''];
  if (algorithm === undefined || !isAlgorithm(token, algorithm)) return false;
  const content = Buffer.from(token.signed);
  return verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, token.signature);
}

function isBound(
  { claims }: WebToken,
  { issuer, bodyClaim }: TokenProof,
  { body }: SignedRequest,
): boolean {
  if (issuer !== undefined && getField(claims, 'iss') !== issuer) return false;
  return bodyClaim === undefined || getField(claims, bodyClaim) === hash('sha256', body, 'hex');
}

/** Whether each of the row's claims is what it has to be; of a list, such as `aud`, one. */
function fits(
  { claims }: WebToken,
  { claims: expected = {} }: TokenProof,
  told: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(expected).every(([name, value]) => {
    const right = typeof value === 'string' ? fillParts(value, (part) => told[part] ?? '') : value;
    const given = getField(claims, name);
    return Array.isArray(given) ? given.includes(right) : given === right;
  });
}

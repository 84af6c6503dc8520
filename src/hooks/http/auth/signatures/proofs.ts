import { hash } from 'node:crypto';
import type { Problem } from '../../../options/index.ts';
import type { SenderSecret } from './sender-secrets.ts';
import type { SignatureProof, SignatureScheme, TimestampRule } from '../../../senders/index.ts';
import type { RequestHead, SignatureFault } from './signed-request.ts';
import { compileContent, readHeader } from './signed-content.ts';
import type { Delivery } from './signed-content.ts';
import { compileKey } from './keys.ts';
import type { SignatureCheck } from './keys.ts';
import { isDeliveryId, isStale, readSignature, readTime } from './signature-values.ts';
import type { ReadSignature } from './signature-values.ts';

// A scheme's row says in data where a signature stands and what it covers; one function compiles each kind, at start:
//
//   signature    HMAC, Ed25519, ECDSA, a digest over a template of the request's parts   compileSignature, here
//   jwt          a token whose claims say who sends, perhaps with a digest of the body   web-tokens.ts
//   secret       a secret shown as it is, in a header or a field                         shown-secrets.ts
//   basic        the same in `Authorization: Basic`                                      shown-secrets.ts
//   certificate  RSA with a certificate from the sender's own host                       certificate-proof.ts
//
// Each answers twice: by the head, before a byte of the body is read, and by the whole. What is wrong is a word
// (`SignatureFault`), never an exception, because a flood of wrong signatures must stay cheap.

export interface Proven extends Pick<SenderSecret, 'sender'> {
  readonly content: Buffer | null;
}

export interface CompiledProof {
  /** Whether its place is filled, so that it and no later one decides. */
  isPresent(head: RequestHead): boolean;
  /** The cheap half: what the head alone can say. @param now epoch milliseconds, when the head arrived */
  checkHead(head: RequestHead, now: number): SignatureFault | null;
  /** The whole, over the exact bytes; asks the head anew. A promise only where a certificate has to be fetched. */
  verify(
    delivery: Delivery,
    now: number,
  ): Proven | SignatureFault | Promise<Proven | SignatureFault>;
}

export interface ProofSettings {
  readonly secrets: readonly SenderSecret[];
  /** How far a signed time may be from ours, before or after. */
  readonly toleranceSeconds: number;
  /** Where the sender calls us, for schemes that sign the URL. Without a slash at its end. */
  readonly publicUrl?: string;
}

export interface SecretCheck<Made> extends Pick<SenderSecret, 'sender' | 'text'> {
  readonly check: Made;
}

export function compileAll<Made>(
  secrets: readonly SenderSecret[],
  compile: (secret: string) => Made | string,
): { made: SecretCheck<Made>[] } | { problems: Problem[] } {
  const made: SecretCheck<Made>[] = [];
  const problems: Problem[] = [];
  for (const { text, key, sender } of secrets) {
    const check = compile(text);
    if (typeof check === 'string') problems.push({ key, message: check });
    else made.push({ check, text, sender });
  }
  return problems.length > 0 ? { problems } : { made };
}

/** A time that stands in the signed body; a body without one is as the sender made it. */
export function checkTimeInBody(
  timestamp: TimestampRule | undefined,
  delivery: Delivery,
  now: number,
  toleranceSeconds: number,
): SignatureFault | null {
  if (timestamp === undefined || !('field' in timestamp.at)) return null;
  const text = delivery.read(timestamp.at);
  if (text === undefined) return null;
  const time = text === null ? null : readTime(text);
  if (time === null) return 'malformed';
  return isStale(time, now, toleranceSeconds) ? 'stale' : null;
}

export function compileSignature(
  proof: SignatureProof,
  { timestamp }: SignatureScheme,
  { secrets, toleranceSeconds, publicUrl }: ProofSettings,
): CompiledProof | { problems: Problem[] } {
  const keys = compileAll<SignatureCheck>(secrets, (secret) => compileKey(secret, proof));
  if ('problems' in keys) return keys;
  const { at, idHeader } = proof;
  const isPlain = proof.algorithm === 'sha256';
  const makeContent = compileContent(proof.signed);
  // Twilio: where the URL has a digest of the body, the signed text has no form parameters.
  const makeBound = compileContent(proof.signed.replace('{form}', ''));

  function readHead(head: RequestHead, now: number): HeadRead | SignatureFault {
    const signature = 'header' in at ? readText(readHeader(head, at.header), proof) : NOT_IN_HEAD;
    if (typeof signature === 'string') return signature;
    const id = idHeader === undefined ? undefined : readHeader(head, idHeader);
    if (idHeader !== undefined && id === undefined) return 'missing';
    if (id === null || (id !== undefined && !isDeliveryId(id))) return 'malformed';
    if (timestamp === undefined || 'field' in timestamp.at) return { signature, id };
    const time =
      'header' in timestamp.at
        ? readHeader(head, timestamp.at.header)
        : signature.items.get(timestamp.at.item);
    if (time === undefined) return 'missing';
    const milliseconds = time === null ? null : readTime(time);
    if (time === null || milliseconds === null) return 'malformed';
    if (isStale(milliseconds, now, toleranceSeconds)) return 'stale';
    return { signature, id, timestamp: time };
  }

  return {
    isPresent: (head) => !('header' in at) || readHeader(head, at.header) !== undefined,
    checkHead(head, now) {
      const read = readHead(head, now);
      return typeof read === 'string' ? read : null;
    },
    verify(delivery, now) {
      const { request } = delivery;
      const head = readHead(request, now);
      if (typeof head === 'string') return head;
      const signature = 'header' in at ? head.signature : readText(delivery.read(at), proof);
      if (typeof signature === 'string') return signature;
      const bound = isBodyBound(delivery, proof);
      if (bound === false) return 'mismatch';
      const urls = urlsOf(request, publicUrl, proof);
      const make = bound === true ? makeBound : makeContent;
      const contentsWith = (secret: string) =>
        urls.map((url) => make(delivery, { ...head, url, secret }));
      // Without the secret, where that stands in it: what is known of a repeat says nothing of it.
      const contents = contentsWith('');
      const [first] = contents;
      if (first === undefined || first === null) return 'malformed';
      let right: Proven | undefined;
      for (const { check, text, sender } of keys.made) {
        for (const content of isPlain ? contentsWith(text) : contents) {
          if (content !== null && check(content, signature.candidates)) {
            right = { content: first, sender };
          }
        }
      }
      return right ?? 'mismatch';
    },
  };
}

/** What a head says; the signature of a scheme that puts it into the body is empty here. */
interface HeadRead {
  readonly signature: ReadSignature;
  readonly id?: string;
  readonly timestamp?: string;
}

const NOT_IN_HEAD: ReadSignature = { candidates: [], items: new Map() };

function readText(
  text: string | null | undefined,
  proof: SignatureProof,
): ReadSignature | SignatureFault {
  if (text === undefined) return 'missing';
  return (text === null ? null : readSignature(text, proof)) ?? 'malformed';
}

/** True or false where the signed URL has a digest of the body; undefined where it has none, so the body is signed itself. */
function isBodyBound(
  { request }: Delivery,
  { bodyDigestParameter }: SignatureProof,
): boolean | undefined {
  if (bodyDigestParameter === undefined) return undefined;
  const query = request.url.slice(request.url.indexOf('?') + 1 || request.url.length);
  const digests = new URLSearchParams(query).getAll(bodyDigestParameter);
  if (digests.length === 0) return undefined;
  return digests.length === 1 && digests[0] === hash('sha256', request.body, 'hex');
}

const NO_URL: readonly undefined[] = [undefined];

/** How the sender may call this request; only the first one that is configured, unless a scheme is vague about ports. */
function urlsOf(
  { url }: RequestHead,
  publicUrl: string | undefined,
  { signed, isPortOptional = false }: SignatureProof,
): readonly (string | undefined)[] {
  if (!signed.includes('{url}') || publicUrl === undefined) return NO_URL;
  const asConfigured = publicUrl + url;
  if (!isPortOptional) return [asConfigured];
  return [asConfigured, withOtherPort(publicUrl) + url];
}

/** With the standard port where it has none, without a port where it has one. */
function withOtherPort(publicUrl: string): string {
  const [, scheme = '', host = '', port, path = ''] =
    /^(https?):\/\/([^/]*?)(:\d+)?(\/.*)?$/.exec(publicUrl) ?? [];
  const other = port === undefined ? (scheme === 'https' ? ':443' : ':80') : '';
  return `${scheme}://${host}${other}${path}`;
}

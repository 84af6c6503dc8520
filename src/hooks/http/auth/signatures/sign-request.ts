import { createHmac, createPrivateKey, hash, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { getField, isRecord, parseJson } from '../../../../platform/objects.ts';
import { fillParts } from '../../../senders/index.ts';
import { readSecret } from './keys.ts';
import type {
  CertificateProof,
  Place,
  Proof,
  SignatureProof,
  SignatureScheme,
  TimestampRule,
  TokenProof,
} from '../../../senders/index.ts';
import { compileContent, Delivery, linesOf } from './signed-content.ts';
import type { ContentParts } from './signed-content.ts';

export interface ToSign {
  /** As in the operator's `secrets`; of schemes with a public key anything. */
  readonly secret: string;
  /** Of schemes with a public key or a certificate: the private half of it, in PEM or as a key. */
  readonly privateKey?: KeyObject | string;
  /** Name of the private key, of schemes whose keys are published. */
  readonly keyId?: string;
  /** Where the certificate stands, of schemes that name one. */
  readonly certificateUrl?: string;
  readonly body: Buffer;
  /** What the request has besides, by names in lower case; the signature's own headers take their places. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole of it, as the sender calls it. Schemes that sign no URL need none. */
  readonly url?: string;
  /** @default one that nobody had before */
  readonly id?: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

export interface ReadyRequest {
  readonly headers: Record<string, string>;
  /** As it was given, but for senders whose signature, or the time of it, stands in it. */
  readonly body: Buffer;
  /** As it was given, but for senders whose digest of the body stands in it. */
  readonly url?: string;
}

/** Signs by the row's first proof. @throws Error without a key, or for a body that this sender never sends */
export function signRequest(scheme: SignatureScheme, toSign: ToSign): ReadyRequest {
  const [proof] = scheme.proofs;
  const id = toSign.id ?? randomUUID();
  const contentType = scheme.contentType ?? 'application/json';
  const isForm = scheme.body === 'form' && !/^\s*[[{]/.test(toSign.body.toString());
  const headers: Record<string, string> = {
    ...scheme.companions,
    ...toSign.headers,
    'content-type': isForm ? 'application/x-www-form-urlencoded' : contentType,
  };
  const { deliveryId, timestamp } = scheme;
  const [idHeader] = deliveryId !== undefined && 'headers' in deliveryId ? deliveryId.headers : [];
  if (idHeader !== undefined) headers[idHeader] = id;
  const time = timestamp === undefined ? undefined : writeTime(toSign.now, timestamp.unit);
  if (timestamp !== undefined && 'header' in timestamp.at && time !== undefined) {
    headers[timestamp.at.header] = time;
  }
  return proof === undefined
    ? { headers, body: toSign.body, url: toSign.url }
    : prove(proof, scheme, { ...toSign, id, headers, time });
}

interface Draft extends ToSign {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly time?: string;
}

function prove(proof: Proof, scheme: SignatureScheme, draft: Draft): ReadyRequest {
  const { headers, secret, body, url } = draft;
  switch (proof.kind) {
    case 'signature':
      return signTemplate(proof, scheme.timestamp, draft);
    case 'jwt': {
      const bearer = proof.keys === undefined ? '' : 'Bearer ';
      const token = bearer + webToken(proof, draft);
      return { headers: { ...headers, [proof.at.header]: token }, body, url };
    }
    case 'certificate':
      return signWithCertificate(proof, scheme, draft);
    case 'basic': {
      const authorization = `Basic ${Buffer.from(secret).toString('base64')}`;
      return { headers: { ...headers, authorization }, body, url };
    }
    case 'secret': {
      const { at, each } = proof;
      if (each === undefined || 'header' in at) return { ...place(at, secret, headers, body), url };
      const items = readObject(body)[each];
      const list = (Array.isArray(items) ? items : []).map((item: unknown) =>
        isRecord(item) ? { ...item, [at.field]: secret } : item,
      );
      return { headers, body: toBody({ ...readObject(body), [each]: list }), url };
    }
  }
}

function signTemplate(
  proof: SignatureProof,
  timestamp: TimestampRule | undefined,
  draft: Draft,
): ReadyRequest {
  const { headers, secret, id, time, now } = draft;
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  const digest = isForm ? undefined : proof.bodyDigestParameter;
  const url = digest === undefined ? draft.url : withDigest(draft, digest);
  if (url === undefined && proof.signed.includes('{url}'))
    throw new Error('this sender signs the URL');
  let { body } = draft;
  if (timestamp !== undefined && 'field' in timestamp.at && hasTime(timestamp.at, proof, body)) {
    ({ body } = place(timestamp.at, time ?? '', headers, body));
  }
  if (timestamp !== undefined && 'field' in timestamp.at && 'field' in proof.at) {
    for (const [, field = ''] of proof.signed.matchAll(/\{field:([^}]+)\}/g)) {
      // What a sender signs besides the time is a text that is new each time.
      if (field !== timestamp.at.field) {
        ({ body } = place({ field }, hash('sha256', `${id} ${now}`), headers, body));
      }
    }
  }
  const template = digest === undefined ? proof.signed : proof.signed.replace('{form}', '');
  const content = contentOf(template, headers, body, { timestamp: time, id, url, secret });
  const bytes = signatureOf(content, proof, draft);
  const text = `${proof.prefix ?? ''}${bytes.toString(proof.encoding)}`;
  return { ...place(proof.at, listed(text, proof, timestamp, time), headers, body), url };
}

/** Whether the time stands in the body: beside the signature, or where a body already says one, which would be old. */
function hasTime({ field }: { field: string }, { at }: SignatureProof, body: Buffer): boolean {
  return 'field' in at || getField(parseJson(body.toString()), ...field.split('.')) !== undefined;
}

/** `t=…,v1=…` for senders that put more than the signature in its header. */
function listed(
  text: string,
  { list }: SignatureProof,
  timestamp: TimestampRule | undefined,
  time = '',
): string {
  if (list === undefined) return text;
  const signature = `${list.name}${list.assign}${text}`;
  if (timestamp === undefined || !('item' in timestamp.at)) return signature;
  return `${timestamp.at.item}${list.assign}${time}${list.separator}${signature}`;
}

/** The URL with the body's digest in it, as Twilio calls those that get JSON. */
function withDigest({ url = '', body }: Draft, parameter: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${parameter}=${hash('sha256', body, 'hex')}`;
}

function signatureOf(content: Buffer, proof: SignatureProof, draft: Draft): Buffer {
  const { algorithm } = proof;
  if (algorithm === 'sha256') return hash('sha256', content, 'buffer');
  return algorithm.startsWith('hmac-')
    ? hmac(algorithm.slice('hmac-'.length), draft.secret, proof, content)
    : sign(algorithm === 'ed25519' ? null : 'sha256', content, keyOf(draft));
}

function hmac(
  algorithm: string,
  secret: string,
  { secretForm }: Partial<SignatureProof>,
  content: Buffer | string,
): Buffer {
  const key = readSecret(secret, secretForm);
  if (typeof key === 'string') throw new Error(`the secret ${key}`);
  return createHmac(algorithm, key).update(content).digest();
}

/** @throws Error without a private key */
function keyOf({ privateKey }: ToSign): KeyObject {
  if (privateKey === undefined) throw new Error('this sender signs with a private key');
  return typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
}

/** The signed text, made by the code that checks it: signer and verifier cannot differ in how a template is read. */
function contentOf(
  template: string,
  headers: Record<string, string>,
  body: Buffer,
  parts: ContentParts,
): Buffer {
  const delivery = new Delivery({ method: 'POST', url: '/', headers, body });
  const content = compileContent(template)(delivery, parts);
  if (content === null) throw new Error('the body is not what this sender sends');
  return content;
}

/** A token with the claims of its row. One that says nothing about the body lasts an hour. */
function webToken(proof: TokenProof, draft: Draft): string {
  const { issuer, bodyClaim, claims = {} } = proof;
  const { secret, body, url = '', now, keyId } = draft;
  const told: Readonly<Record<string, string>> = { secret, url };
  const stated = Object.entries(claims).map(([name, value]) => [
    name,
    typeof value === 'string' ? fillParts(value, (part) => told[part] ?? '') : value,
  ]);
  const isPublished = proof.keys !== undefined;
  const signed = [
    { alg: isPublished ? 'RS256' : 'HS256', typ: 'JWT', ...(isPublished && { kid: keyId }) },
    {
      iss: issuer,
      ...(bodyClaim === undefined
        ? { exp: Math.floor(now / 1000) + 3600 }
        : { [bodyClaim]: hash('sha256', body, 'hex') }),
      ...Object.fromEntries(stated),
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = isPublished
    ? sign('sha256', Buffer.from(signed), keyOf(draft))
    : hmac('sha256', secret, {}, signed);
  return `${signed}.${signature.toString('base64url')}`;
}

/** With the row's newest algorithm; what names the certificate is signed itself, so it is put in first. */
function signWithCertificate(
  proof: CertificateProof,
  { timestamp }: SignatureScheme,
  draft: Draft,
): ReadyRequest {
  const { secret, id, time = '', certificateUrl = '' } = draft;
  const [algorithm = '', digest = ''] = Object.entries(proof.algorithms).at(-1) ?? [];
  let request: { headers: Record<string, string>; body: Buffer } = draft;
  const put = (at: Place, text: string): void => {
    request = place(at, text, request.headers, request.body);
  };
  put(proof.certificateUrl, certificateUrl);
  put(proof.algorithmAt, algorithm);
  if (timestamp !== undefined && 'field' in timestamp.at) put(timestamp.at, time);
  if (proof.boundField !== undefined) put({ field: proof.boundField }, secret);
  const { headers, body } = request;
  const content =
    typeof proof.signed === 'string'
      ? contentOf(proof.signed, headers, body, { timestamp: time, id, secret })
      : linesOf(readObject(body), proof.signed[String(readObject(body)['Type'])] ?? []);
  if (content === null) throw new Error('the body is not what this sender sends');
  put(proof.at, sign(digest, content, keyOf(draft)).toString('base64'));
  return { headers: request.headers, body: request.body, url: draft.url };
}

function place(
  at: Place,
  text: string,
  headers: Record<string, string>,
  body: Buffer,
): { headers: Record<string, string>; body: Buffer } {
  if ('header' in at) return { headers: { ...headers, [at.header]: text }, body };
  return { headers, body: toBody(withField(readObject(body), at.field.split('.'), text)) };
}

type Fields = Readonly<Record<string, unknown>>;

/** A number stays a number. */
function withField(fields: Fields, [name = '', ...rest]: readonly string[], text: string): Fields {
  const inner = fields[name];
  const own = typeof inner === 'number' ? Number(text) : text;
  const value = rest.length === 0 ? own : withField(isRecord(inner) ? inner : {}, rest, text);
  return { ...fields, [name]: value };
}

function readObject(body: Buffer): Fields {
  const value = parseJson(body.toString());
  if (!isRecord(value)) throw new Error('the body has to be a JSON object');
  return value;
}

function toBody(fields: Fields): Buffer {
  return Buffer.from(JSON.stringify(fields));
}

function writeTime(now: number, unit: TimestampRule['unit']): string {
  if (unit === 'iso') return new Date(now).toISOString();
  return String(unit === 's' ? Math.floor(now / 1000) : now);
}

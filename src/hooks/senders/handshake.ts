import { ValidateBy } from 'class-validator';
import { isRecord } from '../../platform/objects.ts';

/** A question that the sender asks before it delivers; answered, and never an event. */
export type Handshake =
  /** POST, signed: the body has that value at `field`; the answer repeats `echo`, under the same name. */
  | {
      readonly kind: 'challenge-json';
      readonly field: string;
      readonly is: string;
      readonly echo: string;
    }
  /** POST, signed: the answer is `{plainToken, encryptedToken}`, the second its HMAC-SHA256 in hex. */
  | {
      readonly kind: 'challenge-hmac';
      readonly field: string;
      readonly is: string;
      readonly token: string;
    }
  /** POST, signed: `field` has one of these values, and `unless` is absent; answered with that JSON, `false` with 204. */
  | {
      readonly kind: 'pong';
      readonly field: string;
      readonly unless: string;
      readonly answers: Readonly<Record<string, object | false>>;
    }
  /** POST, unsigned: a parameter of the query is repeated as plain text. */
  | { readonly kind: 'query-echo'; readonly parameter: string }
  /** GET: a parameter of the query is repeated, as text or as JSON; `verifyToken`: another must hold the operator's. */
  | {
      readonly kind: 'get-challenge';
      readonly parameter: string;
      readonly answer: 'text' | 'json';
      readonly verifyToken?: string;
    }
  /** HEAD: 200. */
  | { readonly kind: 'head' }
  /** POST: this header brings the signing secret, and wants it back in the answer. */
  | { readonly kind: 'header-echo'; readonly header: string }
  /** POST, unsigned: this field brings the signing secret, which the operator enters at the sender. */
  | { readonly kind: 'token-to-operator'; readonly field: string };

/** The keys of each kind beside `kind`; a question mark: it may be absent. */
const KEYS: Readonly<Record<Handshake['kind'], readonly string[]>> = {
  'challenge-json': ['field', 'is', 'echo'],
  'challenge-hmac': ['field', 'is', 'token'],
  pong: ['field', 'unless', 'answers'],
  'query-echo': ['parameter'],
  'get-challenge': ['parameter', 'answer', 'verifyToken?'],
  head: [],
  'header-echo': ['header'],
  'token-to-operator': ['field'],
};

/** One of the kinds, with all of its keys and no other. */
export function IsHandshake(): PropertyDecorator {
  const kinds = Object.entries(KEYS).map(([kind, keys]) => `${kind} (${keys.join(', ')})`);
  const message = `must be of a kind, with its keys: ${kinds.join(', ').replaceAll(' ()', '')}`;
  return ValidateBy({ name: 'isHandshake', validator: { validate: isHandshake } }, { message });
}

function isHandshake(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, ...given } = value;
  const keys = new Map<unknown, readonly string[]>(Object.entries(KEYS)).get(kind);
  if (keys === undefined) return false;
  const required = keys.filter((key) => !key.endsWith('?'));
  const known = new Set(keys.map((key) => key.replace('?', '')));
  return (
    required.every((key) => key in given) &&
    Object.entries(given).every(([key, one]) => known.has(key) && isValueOf(key, one))
  );
}

function isValueOf(key: string, value: unknown): boolean {
  if (key === 'answer') return value === 'text' || value === 'json';
  if (key !== 'answers') return typeof value === 'string' && value !== '';
  return (
    isRecord(value) && Object.values(value).every((answer) => answer === false || isRecord(answer))
  );
}

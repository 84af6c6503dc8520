import type { SignatureAlgorithm, SignatureProof } from '../../../senders/index.ts';

/** More signatures than any sender sends at once, also while it changes its secret. */
const MOST_ITEMS = 32;

export interface ReadSignature {
  /** Of the right form; any of them may be right. Never empty. */
  readonly candidates: readonly Buffer[];
  /** The list's other items: name and value. */
  readonly items: ReadonlyMap<string, string>;
}

/** Length of a signature in bytes: least and most. ECDSA has two numbers in DER, each with or without a leading zero. */
const LENGTHS: Readonly<Record<SignatureAlgorithm, readonly [number, number]>> = {
  'hmac-sha1': [20, 20],
  'hmac-sha256': [32, 32],
  'hmac-sha512': [64, 64],
  ed25519: [64, 64],
  'ecdsa-sha256': [8, 72],
  sha256: [32, 32],
};

const NO_ITEMS: ReadonlyMap<string, string> = new Map();

/** @returns null when the text holds no signature of that form. */
export function readSignature(text: string, proof: SignatureProof): ReadSignature | null {
  const { list } = proof;
  if (list === undefined) {
    const only = readOne(text, proof);
    return only === null ? null : { candidates: [only], items: NO_ITEMS };
  }
  const items = text.split(list.separator, MOST_ITEMS + 1);
  if (items.length > MOST_ITEMS) return null;
  const candidates: Buffer[] = [];
  const others = new Map<string, string>();
  for (const item of items) {
    const end = item.indexOf(list.assign);
    if (end === -1) continue;
    const name = item.slice(0, end).trim();
    const value = item.slice(end + list.assign.length).trim();
    if (name === list.name) {
      const candidate = readOne(value, proof);
      if (candidate !== null) candidates.push(candidate);
    } else if (others.has(name) && others.get(name) !== value) {
      // Two times in one header: nobody can say which of them was signed.
      others.set(name, '');
    } else {
      others.set(name, value);
    }
  }
  return candidates.length === 0 ? null : { candidates, items: others };
}

function readOne(
  text: string,
  { prefix = '', encoding, algorithm }: SignatureProof,
): Buffer | null {
  if (!text.startsWith(prefix)) return null;
  const bytes = decode(text.slice(prefix.length), encoding);
  const [least, most] = LENGTHS[algorithm];
  return bytes === null || bytes.length < least || bytes.length > most ? null : bytes;
}

const HEX = /^[0-9a-f]+$/i;

/** @returns null for anything but that encoding in its one form: whole bytes, padded, without blanks. */
export function decode(text: string, encoding: 'hex' | 'base64' | 'base64url'): Buffer | null {
  if (encoding === 'hex') {
    return text.length % 2 === 0 && HEX.test(text) ? Buffer.from(text, 'hex') : null;
  }
  const bytes = Buffer.from(text, encoding);
  return bytes.length > 0 && bytes.toString(encoding) === text ? bytes : null;
}

const DIGITS = /^\d{1,19}$/;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})$/;

/** As seconds this is the year 5138, as milliseconds 1973: no number is near today in two units. */
const MOST_SECONDS = 1e11;

/**
 * A time as its sender writes it: ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds.
 * @returns milliseconds since 1970, null for anything else
 */
export function readTime(text: string): number | null {
  if (DIGITS.test(text)) {
    let time = Number(text);
    if (time < MOST_SECONDS) return time * 1000;
    while (time >= MOST_SECONDS * 1000) time /= 1000;
    return time;
  }
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Whether a time is too far from now, either way: a clock that runs ahead is no reason to believe for longer. */
export function isStale(time: number, now: number, toleranceSeconds: number): boolean {
  return Math.abs(now - time) > toleranceSeconds * 1000;
}

const VISIBLE = /^[\x21-\x7e]{1,256}$/;

export function isDeliveryId(text: string): boolean {
  return VISIBLE.test(text);
}

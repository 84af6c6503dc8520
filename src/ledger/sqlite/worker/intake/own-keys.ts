// The keys of an event as its row holds them, JSON text. They say what a key means; the tree (`idempotency`) and the
// memory of the writer only say which events may have it.

/** A key in the row of its event. */
export type OwnKey = readonly [name: string, digest: string, keepUntil: number];

export function encodeOwnKeys(keys: readonly OwnKey[]): string | null {
  return keys.length === 0 ? null : JSON.stringify(keys);
}

export function decodeOwnKeys(keys: string | null): readonly OwnKey[] {
  return keys === null ? [] : JSON.parse(keys);
}

/** Of both ends of a name: where a key is remembered for each content, its digest stands last (`ofContent`). */
const CHARACTERS_OF_END = 4;
const ALPHABETS = [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
];
/** What the characters of Base64 and Base64url stand for, by their codes. */
const SIX_BITS = new Uint8Array(128);
for (const letters of ALPHABETS) {
  for (let n = 0; n < letters.length; n += 1) SIX_BITS[letters.charCodeAt(n)] = n;
}

/** 48 bits of a key's name, which find it: numbers take less room than texts, and less time. Those of two keys may be the same. */
export function shortName(name: string): number {
  let first = 0;
  let last = 0;
  for (let n = 0; n < CHARACTERS_OF_END; n += 1) {
    first = first * 64 + (SIX_BITS[name.charCodeAt(n)] ?? 0);
    last = last * 64 + (SIX_BITS[name.charCodeAt(name.length - 1 - n)] ?? 0);
  }
  return first * 2 ** (6 * CHARACTERS_OF_END) + last;
}

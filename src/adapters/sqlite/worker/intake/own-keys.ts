// The keys of an event as its row holds them, JSON text. They say what a key means; the tree (`idempotency`) and the
// memory of the writer only say which event has it.

/** A key in the row of its event. */
export type OwnKey = readonly [name: string, digest: string, keepUntil: number];

/** In the tree a key is named by 72 bits, so that many names share a page; those of two keys may be the same. */
const CHARACTERS_OF_END = 6;

export function encodeOwnKeys(keys: readonly OwnKey[]): string | null {
  return keys.length === 0 ? null : JSON.stringify(keys);
}

export function decodeOwnKeys(keys: string | null): readonly OwnKey[] {
  return keys === null ? [] : JSON.parse(keys);
}

/** From both ends: where a key is remembered for each content, its digest stands last (`ofContent`). */
export function nameInTree(name: string): string {
  return name.slice(0, CHARACTERS_OF_END) + name.slice(-CHARACTERS_OF_END);
}

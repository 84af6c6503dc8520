// How idempotency keys cross to the writer and stand in their rows: by a digest, so that a long key costs no more than a
// short one.
import { hash } from 'node:crypto';
import type { IdempotencyKey } from '../hooks/ports/event.ts';

/** A key as its row holds it. */
export interface StoredKey extends Pick<IdempotencyKey, 'digest' | 'keepUntil' | 'onOtherContent'> {
  /** Digest of scope and key. */
  readonly name: string;
  /** Its name before edition 2, and how the event that has that was verified; null: it had none. */
  readonly former: { readonly name: string; readonly verifiedBy: string } | null;
}

/** A {@link StoredKey} on its way. */
export type KeyTuple = readonly [
  name: string,
  digest: string,
  keepUntil: number,
  onOtherContent: IdempotencyKey['onOtherContent'],
  former: StoredKey['former'],
];

/** 132 bits. */
const NAME_CHARACTERS = 22;

/** Main thread: an idempotency key, ready to be sent. */
export function encodeKey({
  scope,
  key,
  digest,
  keepUntil,
  onOtherContent,
  former,
}: IdempotencyKey): KeyTuple {
  const before =
    former === undefined
      ? null
      : { name: nameOf(former.scope, key), verifiedBy: former.verifiedBy };
  return [nameOf(scope, key), digest, keepUntil, onOtherContent, before];
}

/** With its length, so that a scope and a key never run into each other. */
function nameOf(scope: string, key: string): string {
  const digest = hash('sha256', `${scope.length} ${scope}${key}`, 'base64url');
  return digest.slice(0, NAME_CHARACTERS);
}

/** Writer thread: what {@link encodeKey} sent. */
export function decodeKey([name, digest, keepUntil, onOtherContent, former]: KeyTuple): StoredKey {
  return { name, digest, keepUntil, onOtherContent, former };
}

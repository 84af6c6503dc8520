// A key is named by a digest of scope and key, and counts until it runs out, though pruning comes much later.
import { hash } from 'node:crypto';
import type { IdempotencyKey } from '../../hooks/ports/event.ts';
import { integer, keyIn, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import type { Budget } from '../retention/old-events.ts';
import { decodeHead } from '../stored-head.ts';
import type { NewRow, Tx } from '../tx.ts';

interface Finding {
  /** The event that has it, or has it with this content where each content counts by itself; null: none. */
  readonly known: Key | null;
  readonly hasOther: boolean;
}

interface Holder {
  readonly event: Key;
  readonly digest: string;
}

const FIND = `SELECT name, digest, event FROM @idempotency WHERE name = ANY ($1::text[]) AND keep_until > $2`;
const HEADS =
  'SELECT KEY(e) AS key, ID(e) AS id, head FROM @events e WHERE KEY(e) = ANY ($1::uuid[])';
/** A key that has run out is taken over, and so is one of which only the latest content is remembered. */
const TAKE_OVER = `ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, keep_until = excluded.keep_until,
  event = excluded.event`;

/** 132 bits. */
const NAME_CHARACTERS = 22;

/** The name of a key. With the length of its scope, so that a scope and a key never run into each other. */
export function nameOf(scope: string, key: string): string {
  const digest = hash('sha256', `${scope.length} ${scope}${key}`, 'base64url');
  return digest.slice(0, NAME_CHARACTERS);
}

/** A second content of a key that is remembered for each content is a key of its own. */
function ofContent(name: string, { digest }: IdempotencyKey): string {
  return `${name} ${digest}`;
}

export class KnownKeys {
  readonly #names = new Map<IdempotencyKey, string>();
  readonly #holders = new Map<string, Holder>();
  /** Of events that have one of the keys, `id` and `head`. */
  readonly #events = new Map<Key, Row>();
  readonly #rows = new Map<string, NewRow>();

  /** Looks for keys, whose locks are held. */
  static async find(tx: Tx, keys: readonly IdempotencyKey[]): Promise<KnownKeys> {
    const known = new KnownKeys();
    if (keys.length > 0) await known.#find(tx, keys);
    return known;
  }

  async #find(tx: Tx, keys: readonly IdempotencyKey[]): Promise<void> {
    const names = keys.flatMap((key) => this.#namesOf(key));
    const found = await tx.all(FIND, names, tx.now);
    if (found.length === 0) return;
    const events = new Set<Key>();
    for (const row of found) {
      const event = keyIn(row, 'event');
      this.#holders.set(text(row, 'name'), { event, digest: text(row, 'digest') });
      events.add(event);
    }
    for (const row of await tx.all(HEADS, [...events])) this.#events.set(keyIn(row, 'key'), row);
  }

  #namesOf(key: IdempotencyKey): string[] {
    const { scope, former, onOtherContent } = key;
    const name = nameOf(scope, key.key);
    this.#names.set(key, name);
    const names = [name];
    if (onOtherContent === 'new') names.push(ofContent(name, key));
    if (former !== undefined) names.push(nameOf(former.scope, key.key));
    return names;
  }

  nameOf(key: IdempotencyKey): string {
    return this.#names.get(key)!;
  }

  find(key: IdempotencyKey): Finding {
    const name = this.nameOf(key);
    const found = this.#holders.get(name) ?? this.#formerHolder(key);
    const hasOther = found !== undefined && found.digest !== key.digest;
    const countsContent = key.onOtherContent === 'new' || key.onOtherContent === 'latest';
    if (found !== undefined && !(hasOther && countsContent))
      return { known: found.event, hasOther };
    const same = key.onOtherContent === 'new' ? this.#holders.get(ofContent(name, key)) : undefined;
    return { known: same?.event ?? null, hasOther };
  }

  /** As it was remembered before edition 2, by the same sender. */
  #formerHolder({ former, key }: IdempotencyKey): Holder | undefined {
    const found = former && this.#holders.get(nameOf(former.scope, key));
    const event = found && this.#events.get(found.event);
    if (former === undefined || event === undefined) return undefined;
    const { verifiedBy } = decodeHead(text(event, 'head')).request;
    return verifiedBy === former.verifiedBy ? found : undefined;
  }

  /** An event that was there before the group, by `id` and `head`; undefined: it is one of the group. */
  eventBefore(key: Key): Row | undefined {
    return this.#events.get(key);
  }

  /** Remembers the keys of a new event; those that had run out are taken over. */
  remember(keys: readonly IdempotencyKey[], event: Key): void {
    for (const key of keys) {
      const { digest, keepUntil, onOtherContent } = key;
      const own = this.nameOf(key);
      const name = onOtherContent === 'new' && this.#holders.has(own) ? ofContent(own, key) : own;
      this.#holders.set(name, { event, digest });
      this.#rows.set(name, { name, digest, keep_until: keepUntil, event });
    }
  }

  async store(tx: Tx): Promise<void> {
    if (this.#rows.size > 0) await tx.insert('idempotency', [...this.#rows.values()], TAKE_OVER);
  }
}

/** The event that has a key now; null: nobody has it. */
export async function holderOf(tx: Tx, key: IdempotencyKey): Promise<string | null> {
  const keys = await KnownKeys.find(tx, [key]);
  const { known } = keys.find(key);
  const event = known === null ? undefined : keys.eventBefore(known);
  return event === undefined ? null : text(event, 'id');
}

/** Keys that a step looks at: their order is that of their digests, so those that have run out lie among the others. */
const STEP_KEYS = 4000;
const STRETCH = `SELECT name, keep_until FROM @idempotency WHERE name > $1 ORDER BY name LIMIT ${STEP_KEYS}`;
/** One that was taken over meanwhile stays. */
const FORGET =
  'DELETE FROM @idempotency WHERE name = ANY ($1::text[]) AND keep_until <= $2 RETURNING 1';

/** Forgets keys that have run out: goes round all of them, a stretch in each step. No index of their ends is needed for it. */
export class ExpiredKeys {
  #from = '';

  /** @param budget is spent */
  async forget(tx: Tx, budget: Budget, now: number): Promise<void> {
    const stretch = await tx.all(STRETCH, this.#from);
    const expired = stretch.filter((row) => integer(row, 'keep_until') <= now);
    const some = expired.slice(0, budget.left);
    const isThrough = some.length === expired.length;
    if (some.length > 0) budget.left -= (await tx.all(FORGET, some.map(nameIn), now)).length;
    const last = isThrough ? stretch.at(-1) : some.at(-1);
    const isLast = last === undefined || (isThrough && stretch.length < STEP_KEYS);
    this.#from = isLast ? '' : nameIn(last);
  }
}

function nameIn(row: Row): string {
  return text(row, 'name');
}

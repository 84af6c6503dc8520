// The keys of earlier requests and actions: named by a digest of scope and key, so that a long key costs no more than a
// short one. An event's row holds its own keys (own-keys.ts); a tree of names leads to the event, and for those that came
// lately the writer's memory (recent-keys.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredKey } from '../../../stored-key.ts';
import type { Budget } from '../../../retention/old-events.ts';
import { decodeOwnKeys, encodeOwnKeys, shortName } from './own-keys.ts';
import type { OwnKey } from './own-keys.ts';
import { RecentKeys } from './recent-keys.ts';
import { integer, optionalText } from '../../../rows.ts';

/** What is known of a key. */
interface Finding {
  /** The event that has it, or has it with this content where each content counts by itself; null: none. */
  readonly known: number | null;
  /** It came with other content. */
  readonly hasOther: boolean;
}

/** What its event says of a key. */
interface KnownKey {
  readonly digest: string;
  readonly event: number;
}

/** Remembers keys until they run out. Those that have do not count, though pruning comes to them much later. */
export class IdempotencyKeys {
  readonly #recent: RecentKeys;
  readonly #filed: StatementSync;
  readonly #ownKeys: StatementSync;
  readonly #verifiedBy: StatementSync;

  constructor(db: DatabaseSync, recent = new RecentKeys(db)) {
    this.#recent = recent;
    // Of keys with one name in the tree the younger counts.
    this.#filed = db.prepare(
      'SELECT event FROM idempotency WHERE name = ? AND keep_until > ? ORDER BY event DESC',
    );
    this.#ownKeys = db.prepare('SELECT keys FROM events WHERE key = ?');
    this.#verifiedBy = db.prepare(
      `SELECT head ->> '$.request.verifiedBy' AS verified_by FROM events WHERE key = ?`,
    );
  }

  find(key: StoredKey, now: number): Finding {
    const found = this.#lookUp(key.name, now) ?? this.#lookUpFormer(key, now);
    const hasOther = found !== undefined && found.digest !== key.digest;
    const countsContent = key.onOtherContent === 'new' || key.onOtherContent === 'latest';
    const isKnown = found !== undefined && !(hasOther && countsContent);
    if (isKnown) return { known: found.event, hasOther };
    const same = key.onOtherContent === 'new' ? this.#lookUp(ofContent(key), now) : undefined;
    return { known: same?.event ?? null, hasOther };
  }

  /**
   * Remembers the keys of a new event; those that had run out are taken over.
   * @returns what its row has to hold, in the same transaction
   */
  remember(keys: readonly StoredKey[], event: number, now: number): string | null {
    this.#recent.noteEvent(event);
    const own = keys.map((key): OwnKey => {
      const { name, digest, keepUntil, onOtherContent } = key;
      const isTaken = onOtherContent === 'new' && this.#lookUp(name, now) !== undefined;
      return [isTaken ? ofContent(key) : name, digest, keepUntil];
    });
    for (const [name, , keepUntil] of own) this.#recent.add(shortName(name), event, keepUntil);
    return encodeOwnKeys(own);
  }

  /** The last thing in a transaction. */
  file(): void {
    this.#recent.file();
  }

  /** What is kept in mind may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#recent.forget();
  }

  #lookUp(name: string, now: number): KnownKey | undefined {
    const short = shortName(name);
    for (const event of this.#recent.eventsOf(short)) {
      const found = this.#read(name, event, now);
      if (found !== undefined) return found;
    }
    for (const row of this.#filed.all(short, now)) {
      const found = this.#read(name, integer(row, 'event'), now);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** As it was remembered before edition 2, by the same sender. */
  #lookUpFormer({ former }: StoredKey, now: number): KnownKey | undefined {
    if (former === null) return undefined;
    const found = this.#lookUp(former.name, now);
    const row = found && this.#verifiedBy.get(found.event);
    return row?.['verified_by'] === former.verifiedBy ? found : undefined;
  }

  /** Undefined: the event has no such key, or it has run out. */
  #read(name: string, event: number, now: number): KnownKey | undefined {
    const row = this.#ownKeys.get(event);
    if (row === undefined) return undefined;
    const own = decodeOwnKeys(optionalText(row, 'keys')).find(([known]) => known === name);
    if (own === undefined) return undefined;
    const [, digest, keepUntil] = own;
    return keepUntil > now ? { digest, event } : undefined;
  }
}

/** A second content of a key that is remembered for each content is a key of its own. */
function ofContent({ name, digest }: StoredKey): string {
  return `${name} ${digest}`;
}

/** Keys that a step looks at: their order is that of their digests, so those that have run out lie among the others. */
const STEP_KEYS = 4000;
/** Before every name. */
const BEGINNING = { name: -1, event: 0 };

/** Forgets keys that have run out: goes round all of them, a stretch in each step. No index of their ends is needed for it. */
export class ExpiredKeys {
  readonly #sql: ReturnType<typeof prepareRound>;
  /** Where the next step goes on. */
  #from = BEGINNING;

  constructor(db: DatabaseSync) {
    this.#sql = prepareRound(db);
  }

  forget(budget: Budget, now: number): void {
    const { name, event } = this.#from;
    const rows = this.#sql.stretch.all(name, event, STEP_KEYS).map((row) => ({
      name: integer(row, 'name'),
      event: integer(row, 'event'),
      keepUntil: integer(row, 'keep_until'),
    }));
    const expired = rows.filter((row) => row.keepUntil <= now).slice(0, budget.left);
    for (const row of expired) {
      budget.left -= Number(this.#sql.forget.run(row.name, row.event).changes);
    }
    const isThrough = budget.left > 0;
    const last = isThrough ? rows.at(-1) : expired.at(-1);
    this.#from = last === undefined || (isThrough && rows.length < STEP_KEYS) ? BEGINNING : last;
  }
}

function prepareRound(db: DatabaseSync) {
  return {
    stretch: db.prepare(
      `SELECT name, event, keep_until FROM idempotency WHERE (name, event) > (?, ?)
       ORDER BY name, event LIMIT ?`,
    ),
    forget: db.prepare('DELETE FROM idempotency WHERE name = ? AND event = ?'),
  };
}

// The keys of earlier requests and actions, with the event that they belong to: a row each, named by a digest of scope and
// key, so that a long key costs no more than a short one and all of them lie in one tree. Those that came lately stand
// elsewhere (recent-keys.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredKey } from '../../../stored/stored-key.ts';
import type { Budget } from '../operations/old-events.ts';
import { RecentKeys, toKnownKey } from './recent-keys.ts';
import type { KnownKey } from './recent-keys.ts';
import { integer, text } from '../../../stored/rows.ts';
import type { Row } from '../../../stored/rows.ts';

/** What is known of a key. */
interface Finding {
  /** The event that has it, or has it with this content where each content counts by itself; null: none. */
  readonly known: number | null;
  /** It came with other content. */
  readonly hasOther: boolean;
}

/** Remembers keys until they run out. Those that have do not count, though pruning comes to them much later. */
export class IdempotencyKeys {
  readonly #recent: RecentKeys;
  readonly #filed: StatementSync;

  constructor(db: DatabaseSync, recent = new RecentKeys(db)) {
    this.#recent = recent;
    this.#filed = db.prepare(
      'SELECT digest, keep_until, event FROM idempotency WHERE name = ? AND keep_until > ?',
    );
  }

  find(key: StoredKey, now: number): Finding {
    const found = this.#lookUp(key.name, now);
    const hasOther = found !== undefined && found.digest !== key.digest;
    const isKnown = found !== undefined && !(hasOther && key.onOtherContent === 'new');
    if (isKnown) return { known: found.event, hasOther };
    const same = key.onOtherContent === 'new' ? this.#lookUp(ofContent(key), now) : undefined;
    return { known: same?.event ?? null, hasOther };
  }

  /** A key that had run out is taken over by the new event. */
  remember(key: StoredKey, event: number, now: number): void {
    const { name, digest, keepUntil, onOtherContent } = key;
    const isTaken = onOtherContent === 'new' && this.#lookUp(name, now) !== undefined;
    this.#recent.add(isTaken ? ofContent(key) : name, { digest, keepUntil, event });
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
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent.keepUntil > now ? recent : undefined;
    const row = this.#filed.get(name, now);
    return row && toKnownKey(row);
  }
}

/** A second content of a key that is remembered for each content has a row of its own. */
function ofContent({ name, digest }: StoredKey): string {
  return `${name} ${digest}`;
}

/** Keys that a step looks at: their order is that of their digests, so those that have run out lie among the others. */
const STEP_KEYS = 4000;

/** Forgets keys that have run out: goes round all of them, a stretch in each step. No index of their ends is needed for it. */
export class ExpiredKeys {
  readonly #sql: ReturnType<typeof prepareRound>;
  /** Where the next step goes on. */
  #from = '';

  constructor(db: DatabaseSync) {
    this.#sql = prepareRound(db);
  }

  forget(budget: Budget, now: number): void {
    if (this.#from === '') budget.left -= Number(this.#sql.forgetRecent.run(now).changes);
    const rows = this.#sql.stretch.all(this.#from, STEP_KEYS);
    const expired = rows.filter((row) => integer(row, 'keep_until') <= now).slice(0, budget.left);
    for (const row of expired) budget.left -= Number(this.#sql.forget.run(nameOf(row)).changes);
    const last = budget.left > 0 ? rows.at(-1) : expired.at(-1);
    this.#from =
      last === undefined || (budget.left > 0 && rows.length < STEP_KEYS) ? '' : nameOf(last);
  }
}

function prepareRound(db: DatabaseSync) {
  return {
    stretch: db.prepare(
      'SELECT name, keep_until FROM idempotency WHERE name > ? ORDER BY name LIMIT ?',
    ),
    forget: db.prepare('DELETE FROM idempotency WHERE name = ?'),
    forgetRecent: db.prepare('DELETE FROM recent_keys WHERE keep_until <= ?'),
  };
}

function nameOf(row: Row): string {
  return text(row, 'name');
}

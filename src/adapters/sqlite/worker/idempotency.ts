// The keys of earlier requests and actions, with the event that they belong to: a row each, named by a digest of scope and
// key, so that a long key costs no more than a short one and remembering writes into one tree.
import type { DatabaseSync } from 'node:sqlite';
import type { StoredKey } from '../stored-key.ts';
import type { Budget } from './old-events.ts';
import { integer, text } from './rows.ts';
import type { Row } from './rows.ts';

/** What is known of a key. */
interface Finding {
  /** The event that has it, or has it with this content where each content counts by itself; null: none. */
  readonly known: number | null;
  /** It came with other content. */
  readonly hasOther: boolean;
}

/** Remembers keys until they run out. Those that have do not count, though pruning comes to them much later. */
export class IdempotencyKeys {
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareStatements(db);
  }

  find(key: StoredKey, now: number): Finding {
    const row = this.#sql.find.get(key.name, now);
    const hasOther = row !== undefined && text(row, 'digest') !== key.digest;
    const isKnown = row !== undefined && !(hasOther && key.onOtherContent === 'new');
    if (isKnown) return { known: integer(row, 'event'), hasOther };
    const same = key.onOtherContent === 'new' ? this.#sql.find.get(ofContent(key), now) : undefined;
    return { known: same === undefined ? null : integer(same, 'event'), hasOther };
  }

  /** A key that had run out is taken over by the new event. */
  remember(key: StoredKey, event: number, now: number): void {
    const { name, digest, keepUntil, onOtherContent } = key;
    const { remember } = this.#sql;
    const over = onOtherContent === 'new' ? now : Number.MAX_SAFE_INTEGER;
    if (remember.run(name, digest, keepUntil, event, over).changes !== 0) return;
    remember.run(ofContent(key), digest, keepUntil, event, Number.MAX_SAFE_INTEGER);
  }
}

/** A second content of a key that is remembered for each content has a row of its own. */
function ofContent({ name, digest }: StoredKey): string {
  return `${name} ${digest}`;
}

function prepareStatements(db: DatabaseSync) {
  return {
    find: db.prepare('SELECT digest, event FROM idempotency WHERE name = ? AND keep_until > ?'),
    remember: db.prepare(
      `INSERT INTO idempotency (name, digest, keep_until, event) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET digest = excluded.digest,
       keep_until = excluded.keep_until, event = excluded.event WHERE keep_until <= ?`,
    ),
  };
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
  };
}

function nameOf(row: Row): string {
  return text(row, 'name');
}

// Idempotency keys that came lately. Digests come in no order: put into their tree one by one, each would change a page of
// its own, which is written with its commit and again with the checkpoint. So a key stands at the end of `recent_keys`
// first, where those of a batch share a page, and in memory, where it is found. Once there is a lot of them, they are
// filed into the tree in the order of their names, a stretch with each commit: neighbours share its pages, too.
import type { DatabaseSync } from 'node:sqlite';
import { integer, text } from '../../../stored/rows.ts';
import type { Row } from '../../../stored/rows.ts';

/** What is stored of a key, by its name. */
export interface KnownKey {
  readonly digest: string;
  readonly keepUntil: number;
  readonly event: number;
}

/** So many are filed together; twice as many may be in memory, at 200 bytes each. */
const LOT = 8192;
/** Filed with a commit that adds keys: at least so many, and twice as many as it adds. */
const LEAST_FILED = 64;

/** A lot on its way into the tree. */
interface Filing {
  readonly keys: ReadonlyMap<string, KnownKey>;
  /** Of all its keys, in the order of the tree. */
  readonly names: readonly string[];
  /** The place of the next one in `names`. */
  next: number;
  /** Its last row. */
  readonly through: number;
}

/** What the rows of `recent_keys` hold. */
interface Recent {
  young: Map<string, KnownKey>;
  filing: Filing | null;
  /** The last row. */
  last: number;
}

/** Keeps keys until they are filed. The younger one of two with a name counts. */
export class RecentKeys {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #lot: number;
  /** Read when it is first asked for. */
  #known: Recent | null = null;
  /** By the transaction that is under way. */
  #added = 0;

  constructor(db: DatabaseSync, lot = LOT) {
    this.#sql = prepareStatements(db);
    this.#lot = lot;
  }

  get(name: string): KnownKey | undefined {
    const { young, filing } = this.#recent;
    return young.get(name) ?? filing?.keys.get(name);
  }

  add(name: string, key: KnownKey): void {
    const recent = this.#recent;
    const { digest, keepUntil, event } = key;
    recent.last = Number(this.#sql.add.run(name, digest, keepUntil, event).lastInsertRowid);
    recent.young.set(name, key);
    this.#added += 1;
  }

  /** The last thing in a transaction; one that added no key has nothing to do with them. */
  file(): void {
    if (this.#added === 0) return;
    const recent = this.#recent;
    if (recent.filing === null && recent.young.size >= this.#lot) {
      const { young: keys, last: through } = recent;
      recent.filing = { keys, names: [...keys.keys()].toSorted(), next: 0, through };
      recent.young = new Map();
    }
    if (recent.filing !== null && this.#fileStretch(recent.filing)) recent.filing = null;
    this.#added = 0;
  }

  /** What is kept in mind may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#known = null;
    this.#added = 0;
  }

  /** True: it was the last one. */
  #fileStretch(filing: Filing): boolean {
    const { keys, names, next, through } = filing;
    filing.next = next + Math.max(LEAST_FILED, 2 * this.#added);
    for (const name of names.slice(next, filing.next)) {
      const { digest, keepUntil, event } = keys.get(name)!;
      this.#sql.file.run(name, digest, keepUntil, event);
    }
    if (filing.next < names.length) return false;
    this.#sql.clear.run(through);
    return true;
  }

  /** A lot that was on its way when the process ended is filed anew: the tree takes it twice. */
  get #recent(): Recent {
    if (this.#known !== null) return this.#known;
    const rows = this.#sql.all.all();
    const young = new Map(rows.map((row) => [text(row, 'name'), toKnownKey(row)]));
    const last = rows.at(-1);
    return (this.#known = {
      young,
      filing: null,
      last: last === undefined ? 0 : integer(last, 'n'),
    });
  }
}

export function toKnownKey(row: Row): KnownKey {
  return {
    digest: text(row, 'digest'),
    keepUntil: integer(row, 'keep_until'),
    event: integer(row, 'event'),
  };
}

function prepareStatements(db: DatabaseSync) {
  return {
    all: db.prepare('SELECT n, name, digest, keep_until, event FROM recent_keys ORDER BY n'),
    add: db.prepare(
      'INSERT INTO recent_keys (name, digest, keep_until, event) VALUES (?, ?, ?, ?)',
    ),
    file: db.prepare(
      'INSERT OR REPLACE INTO idempotency (name, digest, keep_until, event) VALUES (?, ?, ?, ?)',
    ),
    clear: db.prepare('DELETE FROM recent_keys WHERE n <= ?'),
  };
}

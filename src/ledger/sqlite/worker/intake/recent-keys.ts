// Idempotency keys that came lately. Each stands in the row of its event, which is written anyway; here it is found. Names
// are digests and come in no order: put into their tree one by one, each would change a page of its own, which is written
// with its commit and again with the checkpoint. So a lot of them is filed in the order of their names, a stretch with each
// commit: neighbours share the pages of the tree.
//
// Everything up to a mark (`meta`) is filed. What came after it is read from the events when it is first asked for.
import type { DatabaseSync } from 'node:sqlite';
import { integer, optionalText } from '../../../rows.ts';
import { decodeOwnKeys, shortName } from './own-keys.ts';

/** So many are filed together; twice as many may be in memory, at 100 bytes each. As many events are read at most for them. */
const LOT = 16_384;
/** Filed with a commit: at least so many, and twice as many as it adds. */
const LEAST_FILED = 64;
/** Before every event. */
const FIRST = -9e15;

/** Where a key is. */
interface RecentKey {
  /** `shortName` of its name. */
  readonly name: number;
  readonly event: number;
  readonly keepUntil: number;
  /** The one before it with the same name. */
  readonly older: RecentKey | undefined;
}

const NO_EVENTS: readonly number[] = [];

/** Keys that are filed together. */
class Lot {
  readonly #latest = new Map<number, RecentKey>();
  readonly #keys: RecentKey[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(name: number, event: number, keepUntil: number): void {
    const key = { name, event, keepUntil, older: this.#latest.get(name) };
    this.#latest.set(name, key);
    this.#keys.push(key);
  }

  /** The latest first. */
  eventsOf(name: number): readonly number[] {
    let key = this.#latest.get(name);
    if (key === undefined) return NO_EVENTS;
    const events: number[] = [];
    for (; key !== undefined; key = key.older) events.push(key.event);
    return events;
  }

  sorted(): readonly RecentKey[] {
    return this.#keys.toSorted((one, other) => one.name - other.name);
  }
}

/** A lot on its way into the tree. */
interface Filing {
  readonly lot: Lot;
  /** All of it, in the order of the tree. */
  readonly keys: readonly RecentKey[];
  /** The place of the next one in `keys`. */
  next: number;
}

/** What is not filed yet. */
interface Recent {
  young: Lot;
  filing: Filing | null;
  /** Events since the beginning of `young`, those without a key included. */
  events: number;
  /** The last event whose keys are not in `young`. */
  through: number;
  /** The last event. */
  last: number;
}

/** Keeps keys until they are filed. */
export class RecentKeys {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #lot: number;
  /** Read when it is first needed. */
  #known: Recent | null = null;
  /** Events, and keys, of the transaction that is under way. */
  #added = { events: 0, keys: 0 };
  /** Events that came while nothing was known. */
  #unread = 0;

  constructor(db: DatabaseSync, lot = LOT) {
    this.#sql = prepareStatements(db);
    this.#lot = lot;
  }

  /** Those that may have the key, the latest first. */
  eventsOf(name: number): readonly number[] {
    const { young, filing } = this.#recent;
    const events = young.eventsOf(name);
    const before = filing?.lot.eventsOf(name) ?? NO_EVENTS;
    return before === NO_EVENTS ? events : [...events, ...before];
  }

  /** Called for each new event, before its keys are added. */
  noteEvent(event: number): void {
    this.#added.events += 1;
    if (this.#known !== null) this.#known.last = Math.max(this.#known.last, event);
  }

  /** A key that its event's row holds. */
  add(name: number, event: number, keepUntil: number): void {
    const { young, through } = this.#recent;
    this.#added.keys += 1;
    // Behind the mark nobody would look for it again: ids are given before their events come here.
    if (event <= through) this.#sql.file.run(name, event, keepUntil);
    else young.add(name, event, keepUntil);
  }

  /** The last thing in a transaction; one that added no event has nothing to do with them. */
  file(): void {
    const { events, keys } = this.#added;
    if (events === 0) return;
    this.#added = { events: 0, keys: 0 };
    if (this.#known === null && (this.#unread += events) < this.#lot) return;
    const recent = this.#recent;
    recent.events += events;
    if (recent.filing === null) this.#beginFiling(recent);
    if (recent.filing !== null) this.#fileStretch(recent, recent.filing, keys);
  }

  /** What is kept in mind may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#known = null;
    this.#added = { events: 0, keys: 0 };
  }

  #beginFiling(recent: Recent): void {
    const { young: lot, events, last } = recent;
    if (Math.max(lot.size, events) < this.#lot) return;
    recent.filing = { lot, keys: lot.sorted(), next: 0 };
    recent.young = new Lot();
    recent.events = 0;
    recent.through = last;
  }

  #fileStretch(recent: Recent, filing: Filing, added: number): void {
    const { keys, next } = filing;
    filing.next = next + Math.max(LEAST_FILED, 2 * added);
    for (const { name, event, keepUntil } of keys.slice(next, filing.next)) {
      this.#sql.file.run(name, event, keepUntil);
    }
    if (filing.next < keys.length) return;
    this.#sql.setMark.run(String(recent.through));
    recent.filing = null;
  }

  /** A lot that was on its way when the process ended is filed anew: the tree takes it twice. */
  get #recent(): Recent {
    if (this.#known !== null) return this.#known;
    const mark = this.#sql.mark.get();
    const through = mark === undefined ? FIRST : integer(mark, 'through');
    const recent = { young: new Lot(), filing: null, events: 0, through, last: through };
    for (const row of this.#sql.unfiled.iterate(through)) {
      const event = (recent.last = integer(row, 'key'));
      recent.events += 1;
      for (const [name, , keepUntil] of decodeOwnKeys(optionalText(row, 'keys'))) {
        recent.young.add(shortName(name), event, keepUntil);
      }
    }
    this.#unread = 0;
    return (this.#known = recent);
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    mark: db.prepare(
      `SELECT CAST(value AS INTEGER) AS through FROM meta WHERE key = 'keys_filed_to'`,
    ),
    setMark: db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('keys_filed_to', ?)`),
    unfiled: db.prepare('SELECT key, keys FROM events WHERE key > ? ORDER BY key'),
    file: db.prepare(
      'INSERT OR REPLACE INTO idempotency (name, event, keep_until) VALUES (?, ?, ?)',
    ),
  };
}

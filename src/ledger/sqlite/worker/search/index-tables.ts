// It keeps no text and no places (contentless, detail=none): it only names candidates. Trigrams of what is deleted go
// when segments are merged, so a part is small enough for that, and is dropped with its last document.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { fold, gramsOf } from '../../../../platform/search-text.ts';
import { integer } from '../../../rows.ts';

/** Documents of one part: their numbers say which it is. */
const PART = 16_384;
/** A part of large texts is full sooner. */
const PART_CHARACTERS = 16 * 1024 * 1024;
/** Pages of one step of a merge; it takes a few milliseconds. */
const MERGED_PAGES = 64;
/** Pages that one step gives back to the disk. */
const FREED_PAGES = 500;

interface Part {
  readonly put: StatementSync;
  readonly remove: StatementSync;
  readonly find: StatementSync;
  readonly merge: StatementSync;
}

interface Candidate {
  readonly n: number;
  readonly event: number;
}

/** Documents of events, and the trigrams in them. Every method is called inside of a transaction. */
export class IndexTables {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #parts = new Map<number, Part>();
  /** The part whose merge was begun. */
  #merging: number | null = null;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = prepareStatements(db);
  }

  put(event: number, text: string): void {
    const n = this.#numberOf(event) ?? this.#add(event);
    const folded = fold(text);
    this.#part(partOf(n)).put.run(n, folded);
    this.#sql.grow.run(folded.length, partOf(n));
  }

  /** Nothing of it is found any more; {@link cleanUp} removes what is left of it. */
  remove(event: number): void {
    const n = this.#numberOf(event);
    if (n === null) return;
    this.#sql.remove.run(n);
    this.#part(partOf(n)).remove.run(n);
    this.#sql.forget.run(partOf(n));
    // A merge that is under way may be past it.
    if (this.#merging === partOf(n)) this.#merging = null;
  }

  /** Removes what is left of a text that was removed, one step of it. True: there is more. */
  cleanUp(): boolean {
    const row = this.#sql.forgetful.get();
    if (row === undefined) return this.#giveBack();
    const part = integer(row, 'n');
    if (this.#sql.anyOf.get(part * PART, (part + 1) * PART) === undefined) this.#drop(part);
    else if (this.#isMerged(part)) this.#sql.clean.run(part);
    return true;
  }

  /** Parts that hold documents before one, the latest first. */
  *partsBefore(n: number): Iterable<number> {
    const parts = this.#sql.parts.all(partOf(n - 1)).map((row) => integer(row, 'n'));
    for (const part of parts) yield part;
  }

  /** Of one part, the documents before one that have every trigram of the terms, the latest first. */
  *candidates(part: number, before: number, terms: readonly string[]): Iterable<Candidate> {
    const grams = new Set(terms.flatMap(gramsOf));
    const all = Array.from(grams, (gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ');
    for (const row of this.#part(part).find.iterate(all, before)) {
      const n = integer(row, 'n');
      const found = this.#sql.eventOf.get(n);
      if (found !== undefined) yield { n, event: integer(found, 'event') };
    }
  }

  get end(): number {
    return integer(this.#sql.last.get()!, 'n') + 1;
  }

  /** The number of an event, or that after the last one before it. */
  placeOf(event: number): number {
    const own = this.#numberOf(event);
    if (own !== null) return own;
    const row = this.#sql.lastBefore.get(event);
    return row === undefined ? 0 : integer(row, 'n') + 1;
  }

  firstOf(part: number): number | null {
    const row = this.#sql.anyOf.get(part * PART, (part + 1) * PART);
    return row === undefined ? null : integer(row, 'event');
  }

  #numberOf(event: number): number | null {
    const row = this.#sql.numberOf.get(event);
    return row === undefined ? null : integer(row, 'n');
  }

  /** Numbers rise in the order in which events are put in, which is that of their acceptance. */
  #add(event: number): number {
    const next = this.end;
    const current = this.#sql.charactersOf.get(partOf(next));
    const isFull = current !== undefined && integer(current, 'characters') > PART_CHARACTERS;
    const n = isFull ? (partOf(next) + 1) * PART : next;
    if (isFull || current === undefined) this.#make(partOf(n));
    this.#sql.add.run(n, event);
    return n;
  }

  #make(part: number): void {
    this.#db.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS texts_${part} USING fts5(text, content = '', contentless_delete = 1,
       detail = none, tokenize = 'trigram case_sensitive 1')`,
    );
    this.#sql.addPart.run(part);
  }

  #part(part: number): Part {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const opened = preparePart(this.#db, `texts_${part}`);
    this.#parts.set(part, opened);
    return opened;
  }

  #drop(part: number): void {
    this.#parts.delete(part);
    this.#db.exec(`DROP TABLE texts_${part}`);
    this.#sql.dropPart.run(part);
  }

  /** One step. A step that changes nothing but its own request was the last. */
  #isMerged(part: number): boolean {
    const before = this.#changes();
    // A negative number begins a merge of everything.
    this.#part(part).merge.run(this.#merging === part ? MERGED_PAGES : -MERGED_PAGES);
    this.#merging = part;
    if (this.#changes() - before >= 2) return false;
    this.#merging = null;
    return true;
  }

  #giveBack(): boolean {
    const free = integer(this.#sql.free.get()!, 'free');
    if (free > 0) this.#db.exec(`PRAGMA incremental_vacuum(${FREED_PAGES})`);
    return free > FREED_PAGES;
  }

  #changes(): number {
    return integer(this.#sql.changes.get()!, 'n');
  }
}

function partOf(n: number): number {
  return Math.floor(n / PART);
}

/**
 * FTS5 numbers rows beyond what JavaScript counts exactly, and every later write on the connection tells that number.
 */
export function prepareWrite(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

function preparePart(db: DatabaseSync, table: string): Part {
  const prepare = (sql: string) => prepareWrite(db, sql);
  return {
    put: prepare(`INSERT OR REPLACE INTO ${table} (rowid, text) VALUES (?, ?)`),
    remove: prepare(`DELETE FROM ${table} WHERE rowid = ?`),
    find: db.prepare(
      `SELECT rowid AS n FROM ${table} WHERE ${table} MATCH ? AND rowid < ? ORDER BY rowid DESC`,
    ),
    merge: prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`),
  };
}

function prepareStatements(db: DatabaseSync) {
  return {
    numberOf: db.prepare('SELECT n FROM documents WHERE event = ?'),
    eventOf: db.prepare('SELECT event FROM documents WHERE n = ?'),
    last: db.prepare('SELECT ifnull(max(n), -1) AS n FROM documents'),
    lastBefore: db.prepare('SELECT n FROM documents WHERE event < ? ORDER BY event DESC LIMIT 1'),
    anyOf: db.prepare('SELECT event FROM documents WHERE n >= ? AND n < ? ORDER BY n LIMIT 1'),
    add: prepareWrite(db, 'INSERT INTO documents (n, event) VALUES (?, ?)'),
    remove: prepareWrite(db, 'DELETE FROM documents WHERE n = ?'),
    parts: db.prepare('SELECT n FROM parts WHERE n <= ? ORDER BY n DESC'),
    addPart: prepareWrite(db, 'INSERT INTO parts (n) VALUES (?)'),
    dropPart: prepareWrite(db, 'DELETE FROM parts WHERE n = ?'),
    charactersOf: db.prepare('SELECT characters FROM parts WHERE n = ?'),
    grow: prepareWrite(db, 'UPDATE parts SET characters = characters + ? WHERE n = ?'),
    forget: prepareWrite(db, 'UPDATE parts SET has_forgotten = 1 WHERE n = ?'),
    forgetful: db.prepare('SELECT n FROM parts WHERE has_forgotten = 1 ORDER BY n LIMIT 1'),
    clean: prepareWrite(db, 'UPDATE parts SET has_forgotten = 0 WHERE n = ?'),
    free: db.prepare('SELECT freelist_count AS free FROM pragma_freelist_count'),
    changes: db.prepare('SELECT total_changes() AS n'),
  };
}

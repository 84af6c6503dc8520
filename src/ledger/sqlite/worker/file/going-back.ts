// The way back from an upgrade: a ledger with the tables of an earlier edition and everything that was accepted since, for
// the build before. It is written beside the file and takes its place at the end, by one rename; until then, a kill or a
// full disk changes nothing.
import { errorMessage } from '../../../../platform/errors.ts';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { integer, text } from '../../../rows.ts';
import { syncDirectory } from '../../../../platform/sync-directory.ts';
import { filesOf, makeOwn, sizeOf } from './data-directory.ts';
import { DirectoryInUse, DirectoryLock } from '../../../../platform/directory-lock.ts';
import { checkEdition, keepCopy, makeTables, prepareNewFile } from './migrate.ts';
import { storeTrouble } from './store-trouble.ts';

/** How long is waited for a program that reads. */
const BUSY_MS = 1000;

/** A ledger that went back, or would. */
export interface WayBack {
  /** The edition it had, and the one it has now. */
  readonly from: number;
  readonly to: number;
  readonly events: number;
  /** Pieces of work that are not done yet. */
  readonly waiting: number;
  /** What the earlier edition has no place for: `table` or `table.column`, where there was anything in it. */
  readonly leftOut: readonly string[];
  /** The file that has all of it as it was. */
  readonly kept: string;
}

/**
 * Gives the ledger of a directory the tables of an earlier edition. No service may use it.
 * @param isDryRun true: says what would be, and changes nothing
 * @throws Error with a sentence that says what to do; nothing was changed then
 */
export function goBack(dir: string, edition: number, isDryRun: boolean): WayBack {
  const files = filesOf(dir);
  if (sizeOf(files.database) === 0) throw new Error(`there is no ledger in ${dir}`);
  try {
    const lock = DirectoryLock.takeNow(files.lock);
    try {
      return goBackLocked(dir, edition, isDryRun);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw new Error(sentence(dir, error), { cause: error });
  }
}

function sentence(dir: string, error: unknown): string {
  if (error instanceof DirectoryInUse) return `A service uses the ledger in ${dir}: stop it first`;
  const why = storeTrouble(error) ?? errorMessage(error);
  return `The ledger in ${dir} cannot go back: ${why}`;
}

function goBackLocked(dir: string, edition: number, isDryRun: boolean): WayBack {
  const { database, log } = filesOf(dir);
  const made = join(dir, `ledger.edition-${edition}.db`);
  const way = using(new DatabaseSync(database, { timeout: BUSY_MS }), (db) => {
    const { number } = checkEdition(db);
    if (edition < 1 || edition >= number) {
      throw new Error(`it is of edition ${number}, and goes back to an earlier one only`);
    }
    const count = (rows: string) =>
      integer(db.prepare(`SELECT count(*) AS count FROM ${rows}`).get()!, 'count');
    const unasked = number >= DECISIONS && edition < DECISIONS ? count(TO_BE_DECIDED) : 0;
    if (unasked > 0) {
      const [are, them] = unasked === 1 ? ['is', 'it'] : ['are', 'them'];
      throw new Error(
        `${unasked} of its runs ${are} for a person to decide about, and builds of edition ${edition} would do ${them} unasked: let them end, and dismiss those that are dead`,
      );
    }
    const found = {
      from: number,
      to: edition,
      events: count('events'),
      waiting: count(`work WHERE stage <> 'dead'`),
      leftOut: leftOut(db, edition),
    };
    const kept = `ledger.edition-${number}.db`;
    if (isDryRun) return { ...found, kept };
    keepCopy(db, kept);
    rmSync(made, { force: true });
    makeOwn(made);
    using(new DatabaseSync(made, { enableForeignKeyConstraints: false }), (earlier) =>
      write(earlier, edition, database),
    );
    return { ...found, kept };
  });
  if (isDryRun) return way;
  // Closing it has moved the log into the file, unless another program has it open.
  if (sizeOf(log) > 0) throw new Error('another program has it open: close that first');
  renameSync(made, database);
  syncDirectory(dir);
  return way;
}

/** Every row of the tables that the edition has, in the columns that it has. */
function write(earlier: DatabaseSync, edition: number, database: string): void {
  prepareNewFile(earlier);
  earlier.exec('PRAGMA synchronous = FULL');
  earlier.prepare('ATTACH ? AS later').run(database);
  earlier.exec('BEGIN');
  makeTables(earlier, edition);
  const keepsShortNames = edition < WHOLE_NAMES;
  for (const [table, columns] of columnsOf(earlier)) {
    if (table === 'idempotency' && keepsShortNames) continue;
    const list = columns.join(', ');
    earlier.exec(
      `DELETE FROM main.${table}; INSERT INTO main.${table} (${list}) SELECT ${list} FROM later.${table}`,
    );
  }
  if (keepsShortNames) giveKeysBack(earlier);
  earlier.exec('COMMIT');
}

/** From this edition on a person may have to decide about a run, in whatever stage its work is. */
const DECISIONS = 6;
const TO_BE_DECIDED = `work WHERE kind = 'run' AND job ->> 'approve' IS NOT NULL`;

/** From this edition on `idempotency` has whole names and digests. */
const WHOLE_NAMES = 4;

/** Before, the row of an event held its keys, and the table only led to the events that might have one. */
function giveKeysBack(earlier: DatabaseSync): void {
  earlier.function('short_name', { deterministic: true }, (name) => shortName(String(name)));
  earlier.exec(`
    WITH own AS (SELECT event, json_group_array(json_array(name, digest, keep_until)) AS keys
      FROM later.idempotency GROUP BY event)
    UPDATE main.events SET keys = own.keys FROM own WHERE own.event = main.events.key;
    INSERT OR REPLACE INTO main.idempotency (name, event, keep_until)
      SELECT short_name(name), event, keep_until FROM later.idempotency;
    INSERT OR REPLACE INTO main.meta (key, value)
      SELECT 'keys_filed_to', CAST(max(key) AS TEXT) FROM main.events HAVING count(*) > 0;`);
}

/** Of both ends of a name. */
const CHARACTERS_OF_END = 4;

/** 48 bits of the Base64 of a key's name, by which it was found: its beginning, and its end from behind. */
function shortName(name: string): number {
  const characters = Array.from(name.replaceAll(/[^\w+/-]/g, 'A'));
  const bits = (some: readonly string[]) =>
    Buffer.from(some.join('').padEnd(CHARACTERS_OF_END, 'A'), 'base64').readUIntBE(0, 3);
  const ends = [characters.slice(0, CHARACTERS_OF_END), characters.slice(-CHARACTERS_OF_END)];
  return bits(ends[0]!) * 2 ** 24 + bits(ends[1]!.toReversed());
}

/** What an earlier edition keeps elsewhere, or finds out by itself. */
const NOT_LOST: ReadonlySet<string> = new Set([
  'idempotency.digest',
  'sessions.last_seq',
  'system_events.owner',
]);

function leftOut(db: DatabaseSync, edition: number): string[] {
  const before = using(new DatabaseSync(':memory:'), (earlier) => {
    makeTables(earlier, edition);
    return columnsOf(earlier);
  });
  const has = (rows: string) => db.prepare(`SELECT 1 FROM ${rows} LIMIT 1`).get() !== undefined;
  return [...columnsOf(db)].flatMap(([table, columns]) => {
    const known = before.get(table);
    if (known === undefined) return has(table) ? [table] : [];
    const more = columns.filter((column) => !known.includes(column));
    return more
      .filter((column) => has(`${table} WHERE ${column} IS NOT NULL`))
      .map((column) => `${table}.${column}`)
      .filter((column) => !NOT_LOST.has(column));
  });
}

function columnsOf(db: DatabaseSync): Map<string, readonly string[]> {
  const tables = db
    .prepare(
      `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all();
  const columns = db.prepare(`SELECT name FROM pragma_table_info(?, 'main')`);
  return new Map(
    tables.map((row) => {
      const table = text(row, 'name');
      return [table, columns.all(table).map((column) => text(column, 'name'))];
    }),
  );
}

function using<T>(db: DatabaseSync, act: (db: DatabaseSync) => T): T {
  try {
    return act(db);
  } finally {
    db.close();
  }
}

// How a file comes to have the tables of this release. Nothing was released before this edition, so what an earlier one
// wrote is refused and left as it is.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { integer } from '../../../stored/rows.ts';
import type { Row } from '../../../stored/rows.ts';
import { TABLES } from './schema.ts';

/** Marks a file as ours ("hook"); files of the first edition have 0 there, as those of most programs do. */
const APPLICATION_ID = 0x68_6f_6f_6b;

/** Every step of the schema, oldest first; `user_version` counts the steps a file has taken. A released step is never edited. */
const STEPS: readonly string[] = [TABLES];

/**
 * Refuses a file that this release cannot use, and changes nothing.
 * @throws Error with a sentence that says what to do.
 */
export function checkEdition(db: DatabaseSync, steps = STEPS): void {
  const version = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== APPLICATION_ID) {
    if (schemaOf(db).length === 0) return;
    throw new Error(
      'it was written by an early edition, which this release cannot read: name a new directory (nothing in this one was changed)',
    );
  }
  if (version > steps.length) {
    throw new Error(
      `it was written by a newer release (schema ${version}, this release knows ${steps.length}): start that release again or use another directory`,
    );
  }
  checkTables(db, steps.slice(0, version));
}

/** Steps are known, so what they make is known too. @throws Error when the file has anything else */
function checkTables(db: DatabaseSync, steps: readonly string[]): void {
  const made = new DatabaseSync(':memory:');
  try {
    for (const step of steps) made.exec(step);
    if (JSON.stringify(schemaOf(db)) === JSON.stringify(schemaOf(made))) return;
  } finally {
    made.close();
  }
  throw new Error(
    `its tables are not those of schema ${steps.length}: the file is damaged, or another program changed it; put a backup in its place (nothing was changed)`,
  );
}

/** What has to be said of a file before its first page is written; without effect on one that has any. */
export function prepareNewFile(db: DatabaseSync): void {
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
}

/**
 * Brings a file that {@link checkEdition} took to the newest schema, and begins to use it: all of it happens or nothing.
 * A file that has to be changed is copied beside itself before, as `ledger.before-<schema>.db`.
 * @param begin prepares every statement, inside the transaction: what cannot be used is rolled back
 */
export function migrate<T>(db: DatabaseSync, begin: () => T, steps = STEPS): T {
  const version = pragma(db, 'user_version');
  if (version > 0 && version < steps.length) keepCopy(db, steps.length);
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const step of steps.slice(version)) db.exec(step);
    if (version < steps.length) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
    }
    const begun = begin();
    db.exec('COMMIT');
    return begun;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (version === 0 || version === steps.length) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `it cannot be brought from schema ${version} to ${steps.length} (${reason}): start the release before again (nothing was changed)`,
      { cause: error },
    );
  }
}

/** For its owner alone, and on disk before the file itself is touched. One of an attempt before is replaced. */
function keepCopy(db: DatabaseSync, target: number): void {
  const file = db.location();
  if (file === null) return;
  const copy = join(dirname(file), `ledger.before-${target}.db`);
  rmSync(copy, { force: true });
  const descriptor = openSync(copy, 'wx', 0o600);
  try {
    db.prepare('VACUUM INTO ?').run(copy);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Tables, indexes and all else, as they were made; what SQLite keeps for itself is left out. */
function schemaOf(db: DatabaseSync): Row[] {
  return db
    .prepare(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY type, name`,
    )
    .all();
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return integer(db.prepare(`PRAGMA ${name}`).get()!, name);
}

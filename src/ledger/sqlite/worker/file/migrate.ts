// Every edition since the first is brought to the newest; a file of no known edition is left as it is.
import { errorMessage } from '../../../../platform/errors.ts';
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from './sqlite.ts';
import { buildName } from '../../../../platform/package-version.ts';
import { strangeLedger } from '../../../edition.ts';
import { integer } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { STEPS } from './schema.ts';
import { damageIn, storeTrouble } from './store-trouble.ts';

/** Marks a file as ours ("hook"); files from before the first edition have 0 there, as those of most programs do. */
const APPLICATION_ID = 0x68_6f_6f_6b;

export interface Edition {
  /** 0: there are no tables yet. */
  readonly number: number;
  readonly newest: number;
}

/**
 * Finds the edition of a file, and changes nothing.
 * @throws Error with a sentence that says what to do when this build cannot use it
 */
export function checkEdition(db: DatabaseSync, steps = STEPS): Edition {
  const number = pragma(db, 'user_version');
  const newest = steps.length;
  const strange = (what: string) =>
    strangeLedger({ what, madeBy: madeBy(db), setting: 'store.dir' });
  if (pragma(db, 'application_id') !== APPLICATION_ID) {
    if (schemaOf(db).length === 0) return { number: 0, newest };
    throw strange('it has tables from before the first edition, or of another program');
  }
  if (number > newest) {
    throw strange(`its tables are of edition ${number}, and this build knows ${newest}`);
  }
  if (!hasTablesOf(db, steps.slice(0, number))) {
    throw strange(
      `its tables are not those of edition ${number}: another build, or another program, changed them`,
    );
  }
  return { number, newest };
}

/** Steps are known, so what they make is known too. */
function hasTablesOf(db: DatabaseSync, steps: readonly string[]): boolean {
  const made = new DatabaseSync(':memory:');
  try {
    for (const step of steps) made.exec(step);
    return JSON.stringify(schemaOf(db)) === JSON.stringify(schemaOf(made));
  } finally {
    made.close();
  }
}

/** The build that gave a file its last edition; null: the file does not say. */
function madeBy(db: DatabaseSync): string | null {
  if (!keepsBuilds(db)) return null;
  const row = db.prepare('SELECT * FROM editions ORDER BY number DESC LIMIT 1').get();
  return typeof row?.['build'] === 'string' ? row['build'] : null;
}

function keepsBuilds(db: DatabaseSync): boolean {
  return schemaOf(db).some(({ type, name }) => type === 'table' && name === 'editions');
}

/** What has to be said of a file before its first page is written; without effect on one that has any. */
export function prepareNewFile(db: DatabaseSync): void {
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
}

/**
 * Brings a file that {@link checkEdition} took to the newest edition, and begins to use it: all of it happens or nothing.
 * A file that has to be changed is copied beside itself before, as `ledger.before-<edition>.db`.
 * @param begin prepares every statement, inside the transaction: what cannot be used is rolled back
 */
export async function migrate<T>(
  db: DatabaseSync,
  begin: () => T | Promise<T>,
  steps = STEPS,
): Promise<T> {
  const version = pragma(db, 'user_version');
  try {
    if (version > 0 && version < steps.length) keepCopy(db, `ledger.before-${steps.length}.db`);
    db.exec('BEGIN IMMEDIATE');
    for (const [at, step] of steps.entries()) {
      if (at < version) continue;
      db.exec(step);
      noteBuild(db, at + 1);
    }
    if (version < steps.length) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
    }
    const begun = await begin();
    db.exec('COMMIT');
    return begun;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (version === 0 || version === steps.length || damageIn(error) !== undefined) throw error;
    const reason = storeTrouble(error) ?? errorMessage(error);
    throw new Error(
      `it cannot be brought from edition ${version} to ${steps.length} (${reason}): start the build before again; nothing was changed`,
      { cause: error },
    );
  }
}

function noteBuild(db: DatabaseSync, edition: number): void {
  if (!keepsBuilds(db)) return;
  db.prepare(`INSERT INTO editions VALUES (?, CAST(unixepoch('subsec') * 1000 AS INTEGER), ?)`).run(
    edition,
    buildName(),
  );
}

/** For its owner alone, and on disk before the file itself is touched. One of an attempt before is replaced. */
function keepCopy(db: DatabaseSync, name: string): void {
  const file = db.location();
  if (file === null) return;
  const copy = join(dirname(file), name);
  rmSync(copy, { force: true });
  const descriptor = openSync(copy, 'wx', 0o600);
  try {
    db.prepare('VACUUM INTO ?').run(copy);
    fsyncSync(descriptor);
  } catch (error) {
    // Half of a copy would take the room that it lacked.
    rmSync(copy);
    throw error;
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

// How a file comes to have the tables of this release. Nothing was released before this edition, so what an earlier one
// wrote is refused and left as it is.
import type { DatabaseSync } from 'node:sqlite';
import { integer } from './rows.ts';
import { TABLES } from './schema.ts';

/** Marks a file as ours ("hook"); files of the first edition have 0 there, as those of most programs do. */
const APPLICATION_ID = 0x68_6f_6f_6b;

/** Every step of the schema, oldest first; `user_version` counts the steps a file has taken. A released step is never edited. */
const STEPS: readonly string[] = [TABLES];

/**
 * Refuses a file that this release cannot use, and changes nothing.
 * @throws Error with a sentence that says what to do.
 */
export function checkEdition(db: DatabaseSync): void {
  const version = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== APPLICATION_ID) {
    if (isEmpty(db)) return;
    throw new Error(
      'it was written by an early edition, which this release cannot read: name a new directory (nothing in this one was changed)',
    );
  }
  if (version > STEPS.length) {
    throw new Error(
      `it was written by a newer release (schema ${version}, this release knows ${STEPS.length}): start that release again or use another directory`,
    );
  }
}

/** What has to be said of a file before its first page is written; without effect on one that has any. */
export function prepareNewFile(db: DatabaseSync): void {
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
}

/** Brings a file that {@link checkEdition} took to the newest schema. */
export function migrate(db: DatabaseSync): void {
  const version = pragma(db, 'user_version');
  for (const [index, step] of STEPS.entries()) {
    if (index < version) continue;
    db.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

/** Before the first step was taken. */
function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return integer(db.prepare(`PRAGMA ${name}`).get()!, name);
}

// What the index says is in the ledger: it is made anew when missing, damaged or of another edition.
import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from '../file/sqlite.ts';
import { integer } from '../../../rows.ts';

/** Marks a file as ours ("hoos") and says what its tables and its texts are: with any change of those it is another one. */
const APPLICATION_ID = 0x68_6f_6f_73;
const EDITION = 1;

/** `change`: how far changes of earlier events were followed (`changed_texts` of the ledger); `event`: how far new ones. */
const TABLES = `
CREATE TABLE progress (change INTEGER NOT NULL, event INTEGER) STRICT;
CREATE TABLE documents (n INTEGER PRIMARY KEY, event INTEGER NOT NULL UNIQUE) STRICT;
CREATE TABLE parts (
  n INTEGER PRIMARY KEY,
  characters INTEGER NOT NULL DEFAULT 0,
  has_forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${EDITION};
`;

/** Opens the index, made when it is not there. @param file null: in memory */
export function openIndexFile(file: string | null): DatabaseSync {
  if (file !== null) makeOwn(file);
  const db = new DatabaseSync(file ?? ':memory:');
  try {
    // What is deleted is overwritten, and what is committed survives a crash whole or not at all.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON');
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF');
    if (isEmpty(db)) db.exec(`BEGIN; ${TABLES} COMMIT`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function isOfThisEdition(db: DatabaseSync): boolean {
  const isOurs = pragma(db, 'application_id') === APPLICATION_ID;
  return isOurs && pragma(db, 'user_version') === EDITION;
}

/** For its owner alone; SQLite gives its side files the same mode. */
function makeOwn(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return integer(db.prepare(`PRAGMA ${name}`).get()!, name);
}

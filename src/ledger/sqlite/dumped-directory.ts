import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../../platform/errors.ts';
import { DumpError } from '../dump/dump-ledger.ts';
import type { Belief, DumpLedger } from '../dump/dump-ledger.ts';
import { removeSearchFile, searchFileOf } from './search-file.ts';
import { SqliteTx } from './statements.ts';
import { filesOf, sizeOf } from './worker/file/data-directory.ts';
import { openForWriting } from './worker/file/database.ts';
import { DirectoryInUse } from '../../platform/directory-lock.ts';
import { HeldDirectory } from './worker/file/held-directory.ts';
import { checkEdition } from './worker/file/migrate.ts';
import { storeTrouble } from './worker/file/store-trouble.ts';

/** How long is waited for a program that has the file open. */
const BUSY_MS = 1000;

export type DirectoryLedger = Omit<DumpLedger, 'held'>;

/** As it is at one moment, and unchanged; a service's log grows meanwhile. @throws DumpError as it was thrown; Error */
export function readDirectory<T>(
  dir: string,
  now: number,
  read: (ledger: DirectoryLedger) => Promise<T>,
): Promise<T> {
  const { database } = filesOf(dir);
  return told(dir, async () => {
    if (sizeOf(database) === 0) throw new Error('there is none');
    const db = new DatabaseSync(database, { readOnly: true, timeout: BUSY_MS });
    try {
      db.exec('BEGIN');
      const { number, newest } = checkEdition(db);
      if (number !== newest) {
        throw new Error(
          `its tables are of edition ${number}: start the service with this build once, which upgrades them to ${newest}`,
        );
      }
      return await read(ledgerIn(db, now));
    } finally {
      db.close();
    }
  });
}

/** Committed at the end, or nothing; the next start makes the search index anew. @throws as {@link readDirectory} */
export function fillDirectory<T>(
  dir: string,
  now: number,
  fill: (ledger: DirectoryLedger) => Promise<T>,
): Promise<T> {
  return told(dir, async () => {
    const held = await HeldDirectory.hold(dir);
    try {
      const { db, begun } = await openForWriting(held.files, (made) => fill(ledgerIn(made, now)));
      db.close();
      removeSearchFile(searchFileOf(dir));
      return begun;
    } finally {
      held.release();
    }
  });
}

function ledgerIn(db: DatabaseSync, now: number): DirectoryLedger {
  const tx = new SqliteTx(db);
  tx.now = now;
  // The next start takes the time since then for one in which the service was off.
  const belief: Belief = {
    key: 'clock',
    parse: (value) => Number(JSON.parse(value).believed),
    print: (believed) => JSON.stringify({ last: believed, believed, stood: 0 }),
  };
  return { tx, belief };
}

async function told<T>(dir: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DumpError) throw error;
    const why =
      error instanceof DirectoryInUse
        ? 'a service uses it: stop it first'
        : (storeTrouble(error) ?? errorMessage(error));
    throw new Error(`The ledger in ${dir} cannot be used: ${why}`, { cause: error });
  }
}

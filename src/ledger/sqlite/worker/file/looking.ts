import { errorMessage } from '../../../../platform/errors.ts';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { filesOf, sizeOf } from './data-directory.ts';
import { checkEdition } from './migrate.ts';
import type { Edition } from './migrate.ts';
import { storeTrouble } from './store-trouble.ts';

/** Longer than any commit on a sound disk. */
const BUSY_MS = 1000;

/**
 * Looks at the ledger of a directory and changes nothing, also where a service works on it.
 * @returns null when there is none
 * @throws Error with a sentence when this build cannot use it
 */
export function lookAtDirectory(dir: string): Edition | null {
  const { database, log } = filesOf(dir);
  if (sizeOf(database) === 0) return null;
  const file = pathToFileURL(database);
  // Without a log nothing has to be read beside the file, and so none is made.
  if (sizeOf(log) === 0) file.searchParams.set('immutable', '1');
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    try {
      return checkEdition(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw new Error(storeTrouble(error) ?? errorMessage(error), {
      cause: error,
    });
  }
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getField } from '../platform/objects.ts';
import type { Kept } from './shared-store.ts';
import { FILE, MailStoreHeld, isBusy } from './store.ts';

/**
 * What a watcher remembers in a data directory, as the text that services on one database hold (SharedMailStore); null:
 * nothing. Changes nothing.
 * @throws MailStoreHeld while a watcher works with it
 */
export function readMailMemory(dir: string): string | null {
  const file = join(dir, FILE);
  if (!existsSync(file)) return null;
  const db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    return JSON.stringify(keptIn(db));
  } catch (error) {
    if (isBusy(error)) throw new MailStoreHeld(dir);
    throw error;
  } finally {
    db.close();
  }
}

function keptIn(db: DatabaseSync): Kept {
  const byName = <T>(sql: string, valueOf: (row: unknown) => T) =>
    Object.fromEntries(
      db
        .prepare(sql)
        .all()
        .map((row) => [String(row['name']), valueOf(row)]),
    );
  const textIn = (row: unknown, column: string) => String(getField(row, column));
  return {
    cursors: byName('SELECT mailbox AS name, uid_validity, last_uid FROM cursors', (row) => ({
      uidValidity: textIn(row, 'uid_validity'),
      lastUid: Number(getField(row, 'last_uid')),
    })),
    outages: byName('SELECT account AS name, id, told FROM outages', (row) => ({
      id: textIn(row, 'id'),
      isNotified: getField(row, 'told') === 1,
    })),
    refreshTokens: byName('SELECT configured AS name, token FROM refresh_tokens', (row) =>
      textIn(row, 'token'),
    ),
  };
}

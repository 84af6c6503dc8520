import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerLog } from '../../hooks/ports/ledger.ts';

// Where the search index is, and how nothing of it is left behind.

/** The file of a directory's index. */
export function searchFileOf(dir: string): string {
  return join(dir, 'search.db');
}

/** Removes an index with its side files. @param file no connection is open to it */
export function removeSearchFile(file: string): void {
  for (const name of [`${file}-wal`, `${file}-shm`, file]) rmSync(name, { force: true });
}

/** For a ledger whose search is switched off: what was indexed before is not left behind. */
export function removeSearchFileOf(dir: string, log: LedgerLog): void {
  const file = searchFileOf(dir);
  try {
    removeSearchFile(file);
  } catch {
    log.error(`${file} cannot be removed, though search is switched off: remove it`);
  }
}

// What went wrong with the store, in words: trouble that may pass, and a ledger that is gone.
import { NO_JSON } from '../../../rows.ts';

/** SQLite's primary result codes that mean trouble with the store, not with the call. */
const STORE_TROUBLE: ReadonlyMap<number, string> = new Map([
  [5, 'the ledger is locked by another process'],
  [6, 'the ledger is locked by another process'],
  [7, 'there is not enough memory for the ledger'],
  [8, 'the ledger cannot be written: it became read-only'],
  [10, 'the ledger cannot be written: the disk reports an error'],
  [11, 'the ledger is damaged: put a backup of ledger.db in its place'],
  [13, 'the ledger cannot be written: the disk is full (no space left on the device, ENOSPC)'],
  [14, 'the ledger cannot be opened'],
  [22, 'the ledger cannot be written: the file is too large for this system'],
  [23, 'the ledger may not be used'],
  [26, 'the ledger is damaged: the file is not a database; put a backup of ledger.db in its place'],
]);

/** A short sentence about trouble with the store; null when the error is something else. */
export function storeTrouble(error: unknown): string | null {
  if (error instanceof StoreLost) return error.message;
  // No `instanceof Error`: what SQLite throws may be of another realm (tests).
  if (typeof error !== 'object' || error === null) return null;
  if ('errcode' in error && typeof error.errcode === 'number') {
    return STORE_TROUBLE.get(error.errcode & 0xff) ?? null;
  }
  // Of the system's errors the code is enough: their own words name the path.
  if ('syscall' in error && 'code' in error) {
    return `the files of the ledger cannot be looked at (${String(error.code)})`;
  }
  return null;
}

const DAMAGE: ReadonlySet<number> = new Set([11, 26]);

/** How an error shows that the file is damaged; undefined: it does not. */
export function damageIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  const message = String(error.message);
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
  if (DAMAGE.has(code & 0xff)) return message;
  // SQLite knows no checksums: rows may hold something else than the JSON that was written. V8 quotes it, and it may
  // hold secrets.
  const isNoJson =
    message === 'malformed JSON' || ('name' in error && error.name === 'SyntaxError');
  return isNoJson ? NO_JSON : undefined;
}

/** The ledger is no longer what was opened: nothing is answered any more, and nothing is taken until it is opened anew. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}

import type { CallFailure } from '../calls.ts';

/** SQLite's primary result codes that mean trouble with the store, not with the call. */
const TROUBLE: ReadonlyMap<number, string> = new Map([
  [5, 'the ledger is locked by another process'],
  [6, 'the ledger is locked by another process'],
  [7, 'there is not enough memory for the ledger'],
  [8, 'the ledger cannot be written: it became read-only'],
  [10, 'the ledger cannot be written: the disk reports an error'],
  [11, 'the ledger is damaged'],
  [13, 'the ledger cannot be written: the disk is full'],
  [14, 'the ledger cannot be opened'],
  [22, 'the ledger cannot be written: the file is too large for this system'],
  [23, 'the ledger may not be used'],
  [26, 'the ledger is damaged: the file is not a database'],
]);

/** A short sentence about trouble with the store; null when the error is something else. */
export function troubleOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  if (typeof error.errcode !== 'number') return null;
  return TROUBLE.get(error.errcode & 0xff) ?? null;
}

/** What the caller is told of a call that threw. */
export function failureOf(index: number, error: unknown): CallFailure {
  const trouble = troubleOf(error);
  if (trouble !== null) return { index, unavailable: true, message: trouble };
  const message = error instanceof Error ? error.message : 'the ledger failed';
  return { index, unavailable: false, message };
}

export { memoryLedger, sqliteLedger } from './sqlite-ledger.ts';
export type { SqliteLedgerOptions } from './sqlite-ledger.ts';
export type { Edition } from './worker/file/migrate.ts';
export type { DirectoryLedger } from './dumped-directory.ts';

/** Loaded apart: a Node without `node:sqlite` has to hear from the import of this package which one it needs. */
export async function ledgerFiles() {
  const { lookAtDirectory } = await import('./worker/file/looking.ts');
  const { readDirectory, fillDirectory } = await import('./dumped-directory.ts');
  return { lookAtDirectory, readDirectory, fillDirectory };
}

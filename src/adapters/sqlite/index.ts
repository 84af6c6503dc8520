export { memoryLedger, sqliteLedger } from './sqlite-ledger.ts';
export type { SqliteLedgerOptions } from './sqlite-ledger.ts';
export { lookAtDirectory } from './worker/file/looking.ts';
export type { Edition } from './worker/file/migrate.ts';
export { goBack } from './worker/file/going-back.ts';
export type { WayBack } from './worker/file/going-back.ts';

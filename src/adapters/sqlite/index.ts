export { memoryLedger, sqliteLedger } from './sqlite-ledger.ts';
export type { SqliteLedgerOptions } from './sqlite-ledger.ts';

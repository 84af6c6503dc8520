export { HeldTexts } from './held-texts.ts';
export { lookAtPostgres, postgresLedger } from './postgres-ledger.ts';
export type { DatabaseState, PostgresLedgerOptions } from './postgres-ledger.ts';
export { fillDatabase, readDatabase } from './dumped-database.ts';
export { postgresThrottlerStorage } from './throttler-storage.ts';
export type { PostgresThrottlerOptions } from './throttler-storage.ts';

export { HeldTexts } from './held-texts.ts';
export { lookAtPostgres } from './look.ts';
export type { DatabaseState } from './look.ts';
export { postgresLedger } from './postgres-ledger.ts';
export type { PostgresLedgerOptions } from './postgres-ledger.ts';
export { postgresThrottlerStorage } from './throttler-storage.ts';
export type { PostgresThrottlerOptions } from './throttler-storage.ts';

export { lookAtPostgres } from './look.ts';
export type { DatabaseState } from './look.ts';
export { postgresLedger } from './postgres-ledger.ts';
export type { PostgresLedgerOptions } from './postgres-ledger.ts';
